/**
 * github.com and its data-residency sites serve the API on a separate host. GitHub Enterprise Server serves it under a path.
 * An invalid URL is rejected when it is called.
 */
export function resolveGithubApiUrl(baseUrl: string): string {
  const host = URL.parse(baseUrl)?.host ?? ''
  return host === 'github.com' || host.endsWith('.ghe.com') ? `https://api.${host}` : `${baseUrl}/api/v3`
}
