/** Paths inside a repository, and the steps that are common to how generators make URLs of them. */
import { posix } from 'node:path'
import type { Site } from './site-generator.ts'

export const folderOf = (path: string): string => (path.includes('/') ? posix.dirname(path) : '')
export const nameOf = (path: string): string => posix.basename(path)

/** `folder` may be empty; `path` may contain `.` and `..`. Undefined: it is outside the repository. */
export function joinPath(folder: string, path: string): string | undefined {
  const joined = posix.normalize(posix.join(folder, path)).replace(/\/+$/, '')
  if (joined === '.') return ''
  return joined === '..' || joined.startsWith('../') || joined.startsWith('/') ? undefined : joined
}

export const isInFolder = (path: string, folder: string): boolean => folder === '' || path.startsWith(`${folder}/`)

/** Whether one of two folders is in the other, or both are the same. */
export const overlapsFolder = (folder: string, other: string): boolean =>
  isInFolder(`${folder}/`, other) || isInFolder(`${other}/`, folder)

/** Undefined: the path is not in the folder. */
export const pathInFolder = (path: string, folder: string): string | undefined =>
  isInFolder(path, folder) ? path.slice(folder === '' ? 0 : folder.length + 1) : undefined

export const withoutExtension = (path: string): string => path.replace(/\.[^./]+$/, '')

/** The path of a URL as `/manual/`, from a configured URL or path. */
export function toBasePath(value: unknown): string {
  if (typeof value !== 'string') return '/'
  const path = /^[a-z]+:\/\/[^/]*(.*)$/i.exec(value)?.[1] ?? value
  const trimmed = path.replace(/^\/+|\/+$/g, '')
  return trimmed === '' || trimmed === '.' ? '/' : `/${trimmed}/`
}

/** A folder or prefix without leading, trailing and `./` parts. */
export const toFolder = (value: unknown, fallback: string): string =>
  typeof value === 'string' ? value.replace(/^(?:\.?\/)+|\/+$/g, '').replace(/^\.$/, '') : fallback

/** The URL of a page with the given path below the pages; an empty path is the start page of the site. */
export function buildUrl({ urls }: Pick<Site, 'urls'>, pathBelowPages: string, isIndex: boolean): string {
  const base = `${urls.basePath}${urls.pagesPath === '' ? '' : `${urls.pagesPath}/`}`
  if (pathBelowPages === '') return base
  if (isIndex) return `${base}${pathBelowPages}/`
  const ending = { html: '.html', slash: '/', none: '' }[urls.ending]
  return `${base}${pathBelowPages}${ending}`
}

/** Splits `guide/index.md` into the path of its URL and whether the page is the index of a folder. */
export function splitIndex(path: string, indexNames: readonly string[]): { path: string; isIndex: boolean } {
  const bare = withoutExtension(path)
  if (!indexNames.includes(nameOf(bare))) return { path: bare, isIndex: false }
  return { path: folderOf(bare), isIndex: true }
}
