/** The names of the formats of access logs, by the server or CDN that writes them. */
export const logFormats = [
  'json',
  'nginx',
  'apache',
  'caddy',
  'traefik',
  'cloudfront',
  'cloudflare',
  'fastly',
  'google-cloud',
  'azure',
  'akamai',
  'vercel',
  'netlify',
] as const
export type LogFormat = (typeof logFormats)[number]
