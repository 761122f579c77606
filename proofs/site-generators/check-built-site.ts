/** Compares a built site with what Colophon knows about its generator. */
import { recognizeSite } from '../../server/src/site-generators/recognize-site.ts'
import { siteGeneratorOf } from '../../server/src/site-generators/site-generators.ts'
import { type ExampleSite, type Files, type PageId, pagesLinkingTo, titleOf } from './example-site.ts'
import { openBuiltSite, type ServedSite } from './open-built-site.ts'

type CheckFunction = (ok: boolean, message: string) => void

export interface BuiltSiteFigures {
  pages: number
  links: number
}

export async function checkBuiltSite(
  check: CheckFunction,
  example: ExampleSite,
  files: Files,
  output: string,
): Promise<BuiltSiteFigures> {
  const repository = { paths: Object.keys(files), read: async (path: string) => files[path] }
  const site = await recognizeSite(repository, { docsFolders: [example.docsFolder] })
  const { urlOf } = siteGeneratorOf(site.generator)
  const built = await openBuiltSite(output, site.urls.basePath)
  const urlOfPage = (path = '') => urlOf(site, { path, frontMatter: {} })

  const fileOf = new Map<PageId, string>()
  for (const [id, path] of Object.entries(example.after) as [PageId, string][]) {
    const url = urlOfPage(path)
    const file = url === undefined ? undefined : built.fileAt(url)
    const isPage = file !== undefined && (await built.readText(file)).includes(titleOf(id))
    check(isPage, `${path} is in the built site at ${url}, got ${file ?? 'nothing'}`)
    if (file !== undefined) fileOf.set(id, file)
  }
  for (const { path, frontMatter, title } of example.specialPages ?? []) {
    const url = urlOf(site, { path, frontMatter })
    const file = url === undefined ? undefined : built.fileAt(url)
    const isPage = file !== undefined && (await built.readText(file)).includes(title)
    check(isPage, `${path} is in the built site at ${url}, got ${file ?? 'nothing'}`)
  }
  const formerUrl = urlOfPage(example.before.setup)
  const formerFile = formerUrl === undefined ? undefined : built.fileAt(formerUrl)
  check(formerFile === undefined, `nothing is left at ${formerUrl}, got ${formerFile}`)

  for (const id of ['proxies', 'setup'] as const) {
    // Pages that are not linked from the contents of a neighbor, but from its navigation.
    const neighbor = id === 'proxies' ? 'intro' : 'api'
    if (pagesLinkingTo(id).includes(neighbor)) throw new Error(`${neighbor} must not link to ${id}`)
    const from = example.navigationFile ?? fileOf.get(neighbor) ?? ''
    const linked = built.paths.has(from) ? (await built.linksOf(from)).map(({ urlPath }) => built.fileAt(urlPath)) : []
    const file = fileOf.get(id)
    check(file !== undefined && linked.includes(file), `${example.after[id]} is in the navigation of ${from}`)
  }
  return { pages: fileOf.size, links: await checkLinks(check, built) }
}

/** All links inside the built site, in all its pages. Returns their number. */
async function checkLinks(check: CheckFunction, built: ServedSite): Promise<number> {
  let count = 0
  for (const page of built.paths) {
    if (!page.endsWith('.html') || isErrorPage.test(page)) continue
    for (const { href, urlPath, anchor } of await built.linksOf(page)) {
      count += 1
      const file = built.fileAt(urlPath)
      const hasTarget = file !== undefined && (anchor === '' || (await built.hasAnchor(file, anchor)))
      check(hasTarget, `${page} links to ${href}, which is in the built site`)
    }
  }
  return count
}

/** They are served at any URL, so their relative links lead nowhere. */
const isErrorPage = /(?:^|\/)(?:404|_not-found)(?:\/index)?\.html$/
