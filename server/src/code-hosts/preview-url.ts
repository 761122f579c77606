import type { HostCiCheck } from './code-host.ts'

/**
 * Many preview services report the URL in a check whose name contains "preview" or "deploy". A URL on the code host itself
 * is only the log.
 */
export const findPreviewUrl = (
  checks: readonly Pick<HostCiCheck, 'name' | 'status' | 'url'>[],
  hostUrl: string,
): string | null =>
  checks.find(
    ({ name, status, url }) =>
      status === 'passed' && url && /preview|deploy/i.test(name) && new URL(url).origin !== new URL(hostUrl).origin,
  )?.url ?? null

/** Null unless it is a URL that may become a link. */
export const toLinkUrl = (url: string | null | undefined): string | null =>
  url && url.length <= maxLinkCharacters && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null

const maxLinkCharacters = 2_000
