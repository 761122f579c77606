import { dirname } from 'node:path/posix'
import type { DocsFiles } from './read-docs.ts'

export const indexPageName = (folder: string) => (folder === '.' ? 'README' : `${folder}/README`)

/** The path of a page below `/docs`. The index of a folder has the path of the folder: `operations/README` has `operations`. */
export function docsPagePath(name: string): string {
  const folder = dirname(name)
  if (name !== indexPageName(folder)) return name
  return folder === '.' ? '' : folder
}

export function docsPageUrl(name: string): string {
  const path = docsPagePath(name)
  return path === '' ? '/docs' : `/docs/${path.split('/').map(encodeURIComponent).join('/')}`
}

/** Returns the URL for the target of a link or an image, or undefined if the instance does not serve the target. */
export type ResolveLink = (target: string) => string | undefined

const checkout = 'https://checkout.invalid'

/**
 * Resolves the links of the page `name`, which are relative to its file in a checkout. `repositoryUrl`: where the source code is
 * published, for links to files that the instance does not serve.
 */
export function createLinkResolver(
  { pages, examples, pictures }: DocsFiles,
  name: string,
  repositoryUrl: string | undefined,
): ResolveLink {
  return (target) => {
    if (target.startsWith('#')) return target
    const url = URL.parse(target, `${checkout}/docs/${name}.md`)
    if (url === null) return undefined
    if (url.origin !== checkout) return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined
    if (target.startsWith('/')) return url.pathname + url.hash // a path of the instance, for example /reference
    const path = url.pathname.match(/^\/docs\/(.+)$/)?.[1] ?? ''
    const page = path.match(/^(.+)\.md$/)?.[1]
    if (page !== undefined && pages.has(page)) return docsPageUrl(page) + url.hash
    if (examples.has(path) || pictures.has(path)) return `/docs/${path}`
    return repositoryUrl === undefined ? undefined : `${repositoryUrl}/blob/HEAD${url.pathname}${url.hash}`
  }
}
