/** As a browser writes it in `Origin`; what is no address stays as it was typed, for the server to say so. */
export function asOrigin(typed: string): string {
  const url = URL.parse(typed.trim()) ?? URL.parse(`https://${typed.trim()}`)
  return url && /^https?:$/.test(url.protocol) ? url.origin : typed.trim()
}
