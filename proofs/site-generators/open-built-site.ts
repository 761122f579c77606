/** Reads a built site as a static web server would serve it. */
import { glob, readFile } from 'node:fs/promises'
import { posix } from 'node:path'

export interface ServedSite {
  /** The paths of all files, from the root of the site. */
  paths: ReadonlySet<string>
  /** The path of the file at the path of a URL. Undefined: there is none. */
  fileAt(urlPath: string): string | undefined
  /** The links of an HTML file. */
  linksOf(file: string): Promise<readonly SiteLink[]>
  hasAnchor(file: string, anchor: string): Promise<boolean>
  readText(file: string): Promise<string>
}

export interface SiteLink {
  /** As written. */
  href: string
  urlPath: string
  anchor: string
}

export async function openBuiltSite(directory: string, basePath: string): Promise<ServedSite> {
  const paths = new Set<string>()
  for await (const entry of glob('**/*', { cwd: directory, withFileTypes: true })) {
    if (entry.isFile()) paths.add(posix.relative(directory, posix.join(entry.parentPath, entry.name)))
  }
  const texts = new Map<string, Promise<string>>()
  const readText = (file: string) => {
    const text = texts.get(file) ?? readFile(posix.join(directory, file), 'utf8')
    texts.set(file, text)
    return text
  }
  return {
    paths,
    readText,
    fileAt(urlPath) {
      const path = decodeURIComponent(`${urlPath}/`).startsWith(basePath) ? urlPath.slice(basePath.length) : undefined
      if (path === undefined) return undefined
      const candidates =
        path === '' || path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`, `${path}/index.html`]
      return candidates.map(decodeURIComponent).find((candidate) => paths.has(candidate))
    },
    async linksOf(file) {
      const page = new URL(basePath + file.replace(/(^|\/)index\.html$/, '$1'), 'https://site.invalid')
      const html = await readText(file)
      return [...html.matchAll(/<a\s[^>]*?href=(?:"([^"]*)"|'([^']*)'|([^\s>]+))/g)].flatMap((match) => {
        const href = (match[1] ?? match[2] ?? match[3] ?? '').replaceAll('&amp;', '&')
        const url = URL.parse(href, page.href)
        if (!url || url.origin !== page.origin) return []
        return [{ href, urlPath: url.pathname, anchor: decodeURIComponent(url.hash.slice(1)) }]
      })
    },
    async hasAnchor(file, anchor) {
      const html = await readText(file)
      return [`"${anchor}"`, `'${anchor}'`, anchor].some(
        (value) => html.includes(`id=${value}`) || html.includes(`name=${value}`),
      )
    },
  }
}
