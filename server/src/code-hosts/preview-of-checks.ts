import type { HostCheck } from './code-host.ts'

/** Many who build previews tell where they are by a check that is called so. A page of the host itself is only its log. */
export const previewOfChecks = (
  checks: readonly Pick<HostCheck, 'name' | 'status' | 'url'>[],
  hostUrl: string,
): string | null =>
  checks.find(
    ({ name, status: state, url }) =>
      state === 'passed' && url && /preview|deploy/i.test(name) && new URL(url).origin !== new URL(hostUrl).origin,
  )?.url ?? null

/** What may become a link. */
export const asLink = (url: string | null | undefined): string | null =>
  url && url.length <= maxLinkCharacters && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null

const maxLinkCharacters = 2_000
