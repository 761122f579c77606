import { readYaml } from '../config/read-config.ts'
import { commonPageFormat } from '../page-format.ts'
import type { SiteGenerator } from '../site-generator.ts'
import { buildUrl, folderOf, joinPath, nameOf, pathInFolder, splitIndex, toBasePath, toFolder } from '../site-paths.ts'

const navigationData = /^_data\/(?:[\w-]+\/)*[\w-]*(?:nav|navigation|toc|sidebar|menu|topnav)[\w-]*\.(?:ya?ml|json)$/i

export const jekyll: SiteGenerator = {
  id: 'jekyll',
  name: 'Jekyll',

  isConfigName: (path) => /^_config\.ya?ml$/.test(nameOf(path)),

  async openSite(files, configFile) {
    const folder = folderOf(configFile)
    if (files.paths.includes(joinPath(folder, '_toc.yml') ?? '')) return undefined // Jupyter Book
    const config = readYaml(await files.read(configFile))
    return {
      generator: 'jekyll',
      configFile,
      folder,
      pagesFolder: joinPath(folder, toFolder(config.source, '')) ?? folder,
      urls: {
        basePath: toBasePath(config.baseurl),
        pagesPath: '',
        ending: config.permalink === 'pretty' ? 'slash' : 'html',
      },
      isMarkdownMdx: false,
      pageExtensions: [],
    }
  },

  findNavigation(site, path) {
    if (!navigationData.test(pathInFolder(path, site.pagesFolder) ?? '')) return undefined
    return { format: path.endsWith('.json') ? 'json' : 'yaml', part: 'whole' }
  },

  // Liquid applies to every file with front matter.
  pageFormat: (_site, path) => commonPageFormat(path) && 'liquid-markdown',

  urlOf(site, { path, frontMatter }) {
    const relative = pathInFolder(path, site.pagesFolder)
    if (relative === undefined || !/\.(?:md|markdown|adoc)$/.test(path)) return undefined
    const { permalink } = frontMatter
    if (typeof permalink === 'string')
      return buildUrl({ urls: { ...site.urls, ending: 'none' } }, permalink.replace(/^\/+/, ''), false)
    if (relative.split('/').some((part) => /^[_.#~]/.test(part))) return undefined
    const { path: bare, isIndex } = splitIndex(relative, ['index'])
    return buildUrl(site, bare, isIndex)
  },

  describeNavigation: () =>
    'The theme decides what is in the navigation. Either a file in `_data`, such as `_data/navigation.yml`, lists the pages, or the front matter of the pages does (`nav_order`, `parent` and so on): do as the neighboring pages do. Every page needs front matter, even if it is empty. Liquid (`{{ }}` and `{% %}`) is executed everywhere in a page, also in code: use only tags that other pages use.',
}
