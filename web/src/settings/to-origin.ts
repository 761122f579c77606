/** Returns the origin as browsers send it in `Origin`. Invalid input is returned unchanged, and the server rejects it. */
export function toOrigin(typed: string): string {
  const url = URL.parse(typed.trim()) ?? URL.parse(`https://${typed.trim()}`)
  return url && /^https?:$/.test(url.protocol) ? url.origin : typed.trim()
}
