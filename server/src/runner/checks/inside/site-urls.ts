/** The pages of a site by URL, as its generator publishes them. */
import { parseDocument } from 'yaml'
import { isPage } from '../../../site-generators/page-format.ts'
import type { Site } from '../../../site-generators/site-generator.ts'
import { siteGeneratorOf } from '../../../site-generators/site-generators.ts'
import { isInFolder } from '../../../site-generators/site-paths.ts'
import type { FileTree } from './file-tree.ts'
import { splitFrontMatter } from './front-matter.ts'

/** The front matter of every page is read. In larger sites, URLs are not checked. */
const maxPages = 5_000

export class SiteUrls {
  readonly site: Site
  readonly #tree: FileTree
  #pages: ReadonlyMap<string, string> | undefined

  constructor(site: Site, tree: FileTree) {
    this.site = site
    this.#tree = tree
  }

  /** The path of the URL of a page. Undefined: it is not published as a page, or the generator is not known. */
  urlOf(path: string): string | undefined {
    if (this.site.generator === 'unknown') return undefined
    const frontMatter = parseFields(splitFrontMatter(this.#tree.read(path) ?? '').frontMatter)
    return siteGeneratorOf(this.site.generator).urlOf(this.site, { path, frontMatter })
  }

  /** The page at a URL. `missing`: there is no such page. `unknown`: the URL may belong to something else than pages. */
  find(urlPath: string): { kind: 'page'; path: string } | { kind: 'missing' } | { kind: 'unknown' } {
    this.#pages ??= this.#listPages()
    const { basePath, pagesPath } = this.site.urls
    const pagesBase = pagesPath === '' ? basePath : `${basePath}${pagesPath}/`
    // Generators differ in whether a link contains the base path.
    for (const base of ['/', basePath, pagesBase]) {
      const path = this.#pages.get(normalize(base + urlPath.slice(1)))
      if (path !== undefined) return { kind: 'page', path }
    }
    const isAmongPages = [urlPath, basePath + urlPath.slice(1)].some((candidate) => {
      const [section, ...rest] = candidate.slice(pagesBase.length).split('/')
      const start = `${pagesBase}${section}/`
      return candidate.startsWith(pagesBase) && rest.length > 0 && this.#hasPagesBelow(start)
    })
    return { kind: isAmongPages ? 'missing' : 'unknown' }
  }

  #hasPagesBelow(start: string): boolean {
    return [...(this.#pages?.keys() ?? [])].some((url) => url.startsWith(start))
  }

  #listPages(): ReadonlyMap<string, string> {
    const paths = this.#tree.files.filter((path) => isInFolder(path, this.site.pagesFolder) && isPage(path))
    const pages = new Map<string, string>()
    if (this.site.generator === 'unknown' || paths.length > maxPages) return pages
    for (const path of paths) {
      const url = this.urlOf(path)
      if (url !== undefined) pages.set(normalize(url), path)
    }
    return pages
  }
}

/** URLs that are served as the same page. */
const normalize = (urlPath: string): string => urlPath.replace(/(?:\/index)?(?:\.html)?\/?$/, '') || '/'

function parseFields(yaml: string): Record<string, unknown> {
  try {
    const value: unknown = parseDocument(yaml, { logLevel: 'silent' }).toJS({ maxAliasCount: 10 })
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}
