import { dataAt, readYaml } from '../config/read-config.ts'
import { pageFormatWithMarkdown } from '../page-format.ts'
import type { SiteGenerator } from '../site-generator.ts'
import { buildUrl, folderOf, joinPath, nameOf, pathInFolder, splitIndex, toBasePath } from '../site-paths.ts'

/** Version 1 has `_config.yml` and `_toc.yml`, version 2 `myst.yml`. */
export const jupyterBook: SiteGenerator = {
  id: 'jupyter-book',
  name: 'Jupyter Book',

  isConfigName: (path) => ['_toc.yml', 'myst.yml'].includes(nameOf(path)),

  async openSite(files, configFile) {
    const folder = folderOf(configFile)
    const isVersion2 = nameOf(configFile) === 'myst.yml'
    const otherConfig = joinPath(folder, '_config.yml') ?? ''
    if (!isVersion2 && !files.paths.includes(otherConfig)) return undefined
    const config = readYaml(await files.read(isVersion2 ? configFile : otherConfig))
    return {
      generator: 'jupyter-book',
      configFile: isVersion2 ? configFile : otherConfig,
      folder,
      pagesFolder: folder,
      urls: {
        basePath: toBasePath(dataAt(config, 'html', 'baseurl')),
        pagesPath: '',
        ending: isVersion2 ? 'none' : 'html',
      },
      isMarkdownMdx: false,
      pageExtensions: ['notebooks'],
    }
  },

  findNavigation(site, path) {
    const name = pathInFolder(path, site.folder)
    if (name === '_toc.yml') return { format: 'yaml', part: 'whole' }
    return name === 'myst.yml' ? { format: 'yaml', part: [{ keys: ['project', 'toc'] }] } : undefined
  },

  pageFormat: (_site, path) => pageFormatWithMarkdown(path, 'myst'),

  urlOf(site, { path }) {
    const relative = pathInFolder(path, site.pagesFolder)
    if (relative === undefined || !/\.(?:rst|md)$/.test(path)) return undefined
    if (site.urls.ending === 'html') return buildUrl(site, relative.replace(/\.\w+$/, ''), false)
    const { path: bare, isIndex } = splitIndex(relative, ['index'])
    return buildUrl(site, bare, isIndex)
  },

  describeNavigation: ({ configFile }) =>
    configFile?.endsWith('myst.yml')
      ? `Add the page to \`toc\` in \`project\` in \`${configFile}\`, as \`- file: path/of/the/page.md\`; change nothing else in this file.`
      : 'Add the page to `_toc.yml`, as `- file: path/of/the/page` without the extension, under `chapters` or `sections`. Do not add or change code cells: a build executes them.',
}
