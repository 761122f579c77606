/** Resolves links inside a repository. Generators differ in what a link may omit: one that works in any of them is accepted. */
import { posix } from 'node:path'
import { joinPath, nameOf, pathInFolder } from '../../../site-generators/site-paths.ts'
import type { FileTree } from './file-tree.ts'
import type { Link, LinkRule } from './parsed-page.ts'
import type { SiteUrls } from './site-urls.ts'

export interface ResolvedLink {
  /** Undefined: there is no such file. */
  file: string | undefined
  anchor: string | undefined
}

interface LinkTarget {
  page: string
  /** Without query and anchor, decoded. Not empty. */
  path: string
  tree: FileTree
  urls: SiteUrls
}

/** A file, `missing`, or undefined: it is not known whether the target exists. */
type Resolution = { file: string } | 'missing' | undefined

/** Undefined: a link that leaves the repository, or cannot be checked. */
export function resolveLink(page: string, link: Link, tree: FileTree, urls: SiteUrls): ResolvedLink | undefined {
  const { target, rule } = link
  if (/^[a-z][a-z\d+.-]*:\/\/|^(?:mailto|tel|data|javascript):|^\\|^\/\/|[{}<>]/i.test(target) || target.trim() === '')
    return undefined
  const [beforeHash = '', hash] = target.split('#', 2)
  const anchor = hash === undefined || hash === '' ? undefined : decode(hash)
  const path = decode(beforeHash.split('?', 1)[0] ?? '')
  if (path === '') return { file: page, anchor }
  const resolution = resolvers[rule]({ page, path, tree, urls })
  if (resolution === undefined) return undefined
  return { file: resolution === 'missing' ? undefined : resolution.file, anchor }
}

const resolvers: Readonly<Record<LinkRule, (target: LinkTarget) => Resolution>> = {
  url: (target) => {
    if (/^[a-z][a-z\d+.-]*:/i.test(target.path)) return undefined
    return target.path.startsWith('/') ? resolveAbsoluteUrl(target) : resolveRelativeUrl(target)
  },
  'sphinx-document': (target) => {
    if (/^[\w+.-]+:/.test(target.path)) return undefined // another project
    return firstOf(target, sphinxCandidates(target), ['.rst', '.md', '.txt', '.ipynb', '']) ?? 'missing'
  },
  'sphinx-file': (target) =>
    target.path.includes('*') ? undefined : (firstOf(target, sphinxCandidates(target), ['']) ?? 'missing'),
  'asciidoc-page': resolveAsciidocPage,
  'asciidoc-image': ({ path, tree }) => {
    if (/[:@]/.test(path)) return undefined // an image of another module
    // Attributes such as `imagesdir`, which may be set anywhere, change where images are.
    const file = tree.files.find((candidate) => candidate === path || candidate.endsWith(`/${path}`))
    return file === undefined ? 'missing' : { file }
  },
  'jekyll-file': (target) => firstOf(target, inFolders(target, [target.urls.site.pagesFolder]), ['']) ?? 'missing',
  'hugo-page': (target) => {
    const { page, path, tree, urls } = target
    const { pagesFolder } = urls.site
    const folders = path.startsWith('/') ? [pagesFolder] : [posix.dirname(page), pagesFolder]
    const found = firstOf(target, inFolders(target, folders), suffixes)
    if (found || path.includes('/')) return found ?? 'missing'
    const file = tree.files.find((candidate) => nameOf(candidate).replace(/\.\w+$/, '') === path.replace(/\.\w+$/, ''))
    return file === undefined ? 'missing' : { file }
  },
}

const suffixes = ['', '.md', '.mdx', '/index.md', '/index.mdx', '/README.md', '/_index.md']

/** Relative to the file, and relative to the URL of the published page. */
function resolveRelativeUrl(target: LinkTarget): Resolution {
  const { page, path, urls } = target
  const withoutExtension = page.replace(/\.mdx?$/, '')
  const isIndex = /(?:^|\/)(?:index|README|_index)$/.test(withoutExtension)
  const found = firstOf(
    target,
    inFolders(target, [posix.dirname(page), ...(isIndex ? [] : [withoutExtension])]),
    suffixes,
  )
  if (found) return found
  const pageUrl = urls.urlOf(page)
  const url = pageUrl === undefined ? null : URL.parse(encodeURI(path), `https://site.invalid${pageUrl}`)
  const linked = url && urls.find(decode(url.pathname))
  return linked?.kind === 'page' ? { file: linked.path } : 'missing'
}

/** Folders whose files generators publish as they are. */
const staticFolders = ['', 'static', 'public', 'assets', 'src', 'src/pages']

function resolveAbsoluteUrl(target: LinkTarget): Resolution {
  const { path, tree, urls } = target
  const linked = urls.find(path)
  if (linked.kind === 'page') return { file: linked.path }
  const { folder, pagesFolder, urls: rules } = urls.site
  const folders = [folder, pagesFolder].flatMap((base) => staticFolders.map((name) => posix.join(base, name)))
  const withoutBase = pathInFolder(path, rules.basePath.replace(/\/$/, ''))
  const paths = withoutBase === undefined ? [path] : [path, withoutBase]
  const candidates = paths.flatMap((candidate) => inFolders({ path: candidate }, ['', ...folders]))
  const file = candidates.find((candidate) => tree.has(candidate))
  if (file !== undefined) return { file }
  const isMissingImage = isImage.test(path) && candidates.some((candidate) => tree.has(posix.dirname(candidate)))
  return linked.kind === 'missing' || isMissingImage ? 'missing' : undefined
}

const isImage = /\.(?:png|jpe?g|gif|svg|webp|avif)$/i

function resolveAsciidocPage(target: LinkTarget): Resolution {
  const { page, path } = target
  const [, modules, ownModule] = /^(.*\/|)modules\/([^/]+)\//.exec(page) ?? []
  const [, namedModule, inModule = path] = /^(?:([\w-]+):)?([^:@]+)$/.exec(path) ?? []
  if (/[:@]/.test(path) && (namedModule === undefined || modules === undefined)) return undefined // another component
  const module = namedModule ?? ownModule
  const inPages = module === undefined ? [] : [`${modules}modules/${module}/pages`]
  const folders = namedModule === undefined ? [posix.dirname(page), ...inPages] : inPages
  return firstOf(target, inFolders({ path: inModule }, folders), ['', '.adoc', '.asciidoc']) ?? 'missing'
}

/** A leading slash means the source folder. */
const sphinxCandidates = ({ page, path, urls }: LinkTarget): string[] =>
  inFolders({ path }, [path.startsWith('/') ? urls.site.pagesFolder : posix.dirname(page)])

const inFolders = ({ path }: Pick<LinkTarget, 'path'>, folders: readonly string[]): string[] =>
  folders.flatMap((folder) => joinPath(folder, path.replace(/^\/+/, '')) ?? [])

function firstOf(
  { tree }: LinkTarget,
  candidates: readonly string[],
  endings: readonly string[],
): { file: string } | undefined {
  const file = candidates
    .flatMap((path) => [...endings.map((ending) => path.replace(/\.html$/, '') + ending), path])
    .find((path) => tree.has(path))
  return file === undefined ? undefined : { file }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
