import { readData } from '../config/read-config.ts'
import { commonPageFormat } from '../page-format.ts'
import type { SiteGenerator } from '../site-generator.ts'
import { buildUrl, folderOf, joinPath, nameOf, pathInFolder, splitIndex, toBasePath, toFolder } from '../site-paths.ts'

const menuFile = /^config\/[^/]+\/menus?(?:\.[\w-]+)?\.(?:toml|ya?ml|json)$/

export const hugo: SiteGenerator = {
  id: 'hugo',
  name: 'Hugo',

  isConfigName: (path) => /^(?:hugo|config)\.(?:toml|ya?ml|json)$/.test(nameOf(path)),

  async openSite(files, configFile) {
    const config = readData(configFile, await files.read(configFile))
    const folder = folderOf(configFile).replace(/(?:^|\/)config\/_default$/, '')
    const pagesFolder = joinPath(folder, toFolder(config.contentDir, 'content')) ?? folder
    const isHugo = nameOf(configFile).startsWith('hugo.') || 'baseURL' in config || 'baseurl' in config
    if (!isHugo || !files.paths.some((path) => path.startsWith(`${pagesFolder}/`))) return undefined
    return {
      generator: 'hugo',
      configFile,
      folder,
      pagesFolder,
      urls: {
        basePath: toBasePath(config.baseURL ?? config.baseurl),
        pagesPath: '',
        ending: config.uglyURLs === true || config.uglyurls === true ? 'html' : 'slash',
      },
      isMarkdownMdx: false,
      pageExtensions: [],
    }
  },

  findNavigation(site, path) {
    const format = path.endsWith('.toml') ? 'toml' : path.endsWith('.json') ? 'json' : 'yaml'
    if (path === site.configFile) return { format, part: [{ keys: ['menus'] }, { keys: ['menu'] }] }
    return menuFile.test(pathInFolder(path, site.folder) ?? '') ? { format, part: 'whole' } : undefined
  },

  pageFormat(site, path) {
    // Hugo applies shortcodes to pages in every format.
    return pathInFolder(path, site.pagesFolder) === undefined
      ? commonPageFormat(path)
      : commonPageFormat(path) && 'hugo-markdown'
  },

  urlOf(site, { path, frontMatter }) {
    const relative = pathInFolder(path, site.pagesFolder)
    if (relative === undefined || commonPageFormat(path) === undefined) return undefined
    const { url, slug } = frontMatter
    if (typeof url === 'string')
      return buildUrl({ urls: { ...site.urls, ending: 'none' } }, url.replace(/^\/+/, ''), false)
    const { path: bare, isIndex } = splitIndex(relative, ['index', '_index'])
    const segments = bare.toLowerCase().replaceAll(' ', '-').split('/')
    if (typeof slug === 'string') segments[segments.length - 1] = slug
    return buildUrl(site, segments.join('/'), isIndex)
  },

  describeNavigation: ({ configFile }) =>
    `The theme decides what is in the navigation. Most themes list the pages of a section by themselves, ordered by \`weight\` in the front matter; a section is a folder with \`_index.md\`. Menus are \`menus\` in \`${configFile}\`, in files in \`config/_default\`, or \`menus\` in the front matter of a page: do as the neighboring pages do. Change nothing but the menus in the configuration. Use only shortcodes that other pages use.`,
}
