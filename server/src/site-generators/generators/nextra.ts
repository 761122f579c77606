import { literalValue, parseJs, propertyOf, walk } from '../config/js-source.ts'
import { commonPageFormat } from '../page-format.ts'
import type { Site, SiteGenerator } from '../site-generator.ts'
import { buildUrl, folderOf, joinPath, nameOf, pathInFolder, splitIndex, toBasePath, toFolder } from '../site-paths.ts'

/** Nextra 4 has pages in `content`, earlier versions in `pages`; either may be in `src`. */
const contentFolders = ['content', 'src/content', 'pages', 'src/pages']

export const nextra: SiteGenerator = {
  id: 'nextra',
  name: 'Nextra',

  isConfigName: (path) => /^next\.config\.(?:js|mjs|cjs|ts|mts)$/.test(nameOf(path)),

  async openSite(files, configFile) {
    const source = await files.read(configFile)
    if (!/["']nextra["']/.test(source ?? '')) return undefined
    const folder = folderOf(configFile)
    const contentFolder = contentFolders
      .map((name) => joinPath(folder, name) ?? '')
      .find((candidate) => files.paths.some((path) => path.startsWith(`${candidate}/`) && /\.mdx?$/.test(path)))
    if (contentFolder === undefined) return undefined
    return {
      generator: 'nextra',
      configFile,
      folder,
      pagesFolder: contentFolder,
      urls: {
        basePath: toBasePath(findLiteral(source ?? '', configFile, 'basePath')),
        pagesPath: toFolder(findLiteral(source ?? '', configFile, 'contentDirBasePath'), ''),
        ending: findLiteral(source ?? '', configFile, 'trailingSlash') === true ? 'slash' : 'none',
      },
      isMarkdownMdx: true,
      pageExtensions: [],
    }
  },

  findNavigation(site, path) {
    if (pathInFolder(path, site.folder) === undefined || !/^_meta\.(?:json|js|ts|mjs)$/.test(nameOf(path)))
      return undefined
    return { format: path.endsWith('.json') ? 'json' : 'js', part: 'whole' }
  },

  // .md files are printed as text by Nextra 4, but earlier versions compiled them as MDX.
  pageFormat: (_site, path) => (/\.md$/i.test(path) ? 'mdx' : commonPageFormat(path)),

  urlOf(site, { path }) {
    const relative = pathInFolder(path, site.pagesFolder)
    if (relative === undefined || !/\.mdx?$/.test(path) || /(?:^|\/)_/.test(relative)) return undefined
    return buildNextUrl(site, splitIndex(relative, ['index']).path)
  },

  describeNavigation: () =>
    "`_meta.js`, `_meta.ts` or `_meta.json` in the folder of the page orders and names its pages: add an entry such as `'file-name': 'Title'`, with literals only. Pages that are not listed appear at the end.",
}

/** Next redirects URLs with a slash at the end to those without it, also for the index page of a folder. */
export function buildNextUrl(site: Site, pathBelowPages: string): string {
  const url = buildUrl(site, pathBelowPages, false)
  return site.urls.ending === 'none' && url !== '/' ? url.replace(/\/$/, '') : url
}

/** The first literal of this name anywhere in the file. */
export function findLiteral(source: string, path: string, name: string): unknown {
  const file = parseJs(source, path)
  if (!file) return undefined
  for (const node of walk(file.program)) {
    const value = literalValue(propertyOf(node, name))
    if (value !== undefined) return value
  }
  return undefined
}
