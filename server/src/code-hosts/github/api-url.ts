/**
 * github.com and its data-residency sites have their API on a host of its own; an enterprise server has it below its pages.
 * What is no address at all is refused when it is called.
 */
export function githubApiUrl(baseUrl: string): string {
  const host = URL.parse(baseUrl)?.host ?? ''
  return host === 'github.com' || host.endsWith('.ghe.com') ? `https://api.${host}` : `${baseUrl}/api/v3`
}
