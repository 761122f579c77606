import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files of the docs folder that the instance serves. Its subfolders for contributors are not among them. */
export interface DocsFiles {
  /** Markdown by page name, which is a path without extension, for example `runners` or `operations/backup`. */
  readonly pages: ReadonlyMap<string, string>
  /** Content by path in the folder, for example `examples/node.mjs`. */
  readonly examples: ReadonlyMap<string, Buffer>
  readonly pictures: ReadonlyMap<string, Buffer>
}

/** `.dockerignore` keeps them out of the image. */
export const foldersForContributors = ['contributing', 'decisions']

/** Throws if the folder cannot be read. */
export function readDocs(folder: string): DocsFiles {
  const paths = listFiles(folder, '')
  const read = (isServed: (path: string) => boolean) =>
    new Map(paths.filter(isServed).map((path) => [path, readFileSync(join(folder, path))]))
  const markdown = read((path) => path.endsWith('.md'))
  return {
    pages: new Map([...markdown].map(([path, content]) => [path.slice(0, -'.md'.length), content.toString()])),
    examples: read((path) => /^examples\/[^/]+\.mjs$/.test(path)),
    pictures: read((path) => /^pictures\/[^/]+\.(png|svg)$/.test(path)),
  }
}

function listFiles(folder: string, subfolder: string): string[] {
  return readdirSync(join(folder, subfolder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(subfolder, entry.name)
      if (entry.isDirectory()) return foldersForContributors.includes(path) ? [] : listFiles(folder, path)
      return entry.isFile() ? [path] : []
    })
    .toSorted()
}
