import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The files of the docs folder that the instance serves. Its subfolders for contributors are not among them. */
export interface DocsFiles {
  /** Markdown by page name, for example `runners`. The index is `README`. */
  readonly pages: ReadonlyMap<string, string>
  /** Content by path in the folder, for example `examples/node.mjs`. */
  readonly examples: ReadonlyMap<string, Buffer>
  readonly pictures: ReadonlyMap<string, Buffer>
}

/** Throws if the folder cannot be read. */
export function readDocs(folder: string): DocsFiles {
  const pages = fileNames(folder).filter((name) => name.endsWith('.md'))
  return {
    pages: new Map(pages.map((name) => [basename(name, '.md'), readFileSync(join(folder, name), 'utf8')])),
    examples: readSubfolder(folder, 'examples', (name) => name.endsWith('.mjs')),
    pictures: readSubfolder(folder, 'pictures', (name) => name.endsWith('.png')),
  }
}

function readSubfolder(folder: string, subfolder: string, isServed: (name: string) => boolean): Map<string, Buffer> {
  const hasSubfolder = readdirSync(folder).includes(subfolder)
  const paths = (hasSubfolder ? fileNames(join(folder, subfolder)) : [])
    .filter(isServed)
    .map((name) => `${subfolder}/${name}`)
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path))]))
}

const fileNames = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .toSorted()
