import type { DocsFiles } from './read-docs.ts'

/** The page in the docs folder that is served as `/docs` itself. */
export const indexPageName = 'README'

export const docsPagePath = (name: string) => (name === indexPageName ? '/docs' : `/docs/${encodeURIComponent(name)}`)

/** Returns the URL for the target of a link or an image, or undefined if the instance does not serve the target. */
export type ResolveLink = (target: string) => string | undefined

const checkout = 'https://checkout.invalid'

/**
 * Resolves the links of pages in the docs folder, which are relative to the file in a checkout. `repositoryUrl`: where the
 * source code is published, for links to files that the instance does not serve.
 */
export function createLinkResolver(
  { pages, examples, pictures }: DocsFiles,
  repositoryUrl: string | undefined,
): ResolveLink {
  return (target) => {
    if (target.startsWith('#')) return target
    const url = URL.parse(target, `${checkout}/docs/`)
    if (url === null) return undefined
    if (url.origin !== checkout) return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined
    if (target.startsWith('/')) return url.pathname + url.hash // a path of the instance, for example /reference
    const path = url.pathname.match(/^\/docs\/(.+)$/)?.[1] ?? ''
    const page = path.match(/^([^/]+)\.md$/)?.[1]
    if (page !== undefined && pages.has(page)) return docsPagePath(page) + url.hash
    if (examples.has(path) || pictures.has(path)) return `/docs/${path}`
    return repositoryUrl === undefined ? undefined : `${repositoryUrl}/blob/HEAD${url.pathname}${url.hash}`
  }
}
