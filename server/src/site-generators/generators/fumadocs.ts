import { commonPageFormat } from '../page-format.ts'
import type { RepositoryFiles, SiteGenerator } from '../site-generator.ts'
import { folderOf, joinPath, nameOf, pathInFolder, splitIndex, toBasePath, toFolder } from '../site-paths.ts'
import { buildNextUrl, findLiteral } from './nextra.ts'

export const fumadocs: SiteGenerator = {
  id: 'fumadocs',
  name: 'Fumadocs',

  isConfigName: (path) => /^source\.config\.(?:ts|mts|js|mjs)$/.test(nameOf(path)),

  async openSite(files, configFile) {
    const source = (await files.read(configFile)) ?? ''
    if (!source.includes('fumadocs-mdx')) return undefined
    const folder = folderOf(configFile)
    const readNextConfig = (name: string) => readLiteral(files, folder, /^next\.config\.\w+$/, name)
    const baseUrl = await readLiteral(
      files,
      folder,
      /^(?:src\/|app\/)?lib\/source\.tsx?$|^(?:src\/)?app\/source\.tsx?$/,
      'baseUrl',
    )
    return {
      generator: 'fumadocs',
      configFile,
      folder,
      pagesFolder: joinPath(folder, toFolder(findLiteral(source, configFile, 'dir'), 'content/docs')) ?? folder,
      urls: {
        basePath: toBasePath(await readNextConfig('basePath')),
        pagesPath: toFolder(baseUrl, 'docs'),
        ending: (await readNextConfig('trailingSlash')) === true ? 'slash' : 'none',
      },
      isMarkdownMdx: true,
      pageExtensions: [],
    }
  },

  findNavigation(site, path) {
    const isInPages = pathInFolder(path, site.pagesFolder) !== undefined
    if (!isInPages || !/^meta\.(?:json|ya?ml)$/.test(nameOf(path))) return undefined
    return { format: path.endsWith('.json') ? 'json' : 'yaml', part: 'whole' }
  },

  pageFormat: (_site, path) => (/\.md$/i.test(path) ? 'mdx' : commonPageFormat(path)),

  urlOf(site, { path }) {
    const relative = pathInFolder(path, site.pagesFolder)
    if (relative === undefined || !/\.mdx?$/.test(path)) return undefined
    const { path: bare } = splitIndex(relative, ['index'])
    const withoutGroups = bare.split('/').filter((part) => !/^\(.*\)$/.test(part))
    return buildNextUrl(site, withoutGroups.join('/'))
  },

  describeNavigation: () =>
    '`meta.json` in the folder of the page orders its pages: add the name of the file without the extension to `pages`. If `pages` is set, a page that is not listed is not in the navigation, unless the list contains "...".',
}

/** The literal of this name in the first file of the folder that matches. */
async function readLiteral(files: RepositoryFiles, folder: string, pattern: RegExp, name: string): Promise<unknown> {
  const path = files.paths.find((candidate) => pattern.test(pathInFolder(candidate, folder) ?? ''))
  return path === undefined ? undefined : findLiteral((await files.read(path)) ?? '', path, name)
}
