import { type ConfigData, dataAt, readYaml } from '../config/read-config.ts'
import { pageFormatWithMarkdown } from '../page-format.ts'
import type { NavigationFile, Site, SiteGenerator, SiteGeneratorId } from '../site-generator.ts'
import { buildUrl, folderOf, joinPath, nameOf, pathInFolder, splitIndex, toBasePath, toFolder } from '../site-paths.ts'

export const mkdocs: SiteGenerator = {
  id: 'mkdocs',
  name: 'MkDocs',

  isConfigName: (path) => /^mkdocs\.ya?ml$/.test(nameOf(path)),

  async openSite(files, configFile) {
    return createMkdocsSite('mkdocs', configFile, readYaml(await files.read(configFile)))
  },

  findNavigation(site, path) {
    if (path === site.configFile) return { format: 'yaml', part: [{ keys: ['nav'] }] }
    return findFolderNavigation(site, path)
  },

  pageFormat: (_site, path) => pageFormatWithMarkdown(path, 'python-markdown'),
  urlOf: urlOfMkdocsPage,

  describeNavigation: ({ configFile }) =>
    `If \`${configFile}\` has \`nav\`, add the page there, as \`- Title: path/in/the/docs/folder.md\`; change nothing but \`nav\` in this file. Without \`nav\`, the navigation follows the files; \`.nav.yml\` or \`.pages\` in a folder can order it.`,
}

/** Zensical reads the same settings, also as TOML. */
export function createMkdocsSite(generator: SiteGeneratorId, configFile: string, config: ConfigData): Site {
  const folder = folderOf(configFile)
  return {
    generator,
    configFile,
    folder,
    pagesFolder: joinPath(folder, toFolder(config.docs_dir, 'docs')) ?? folder,
    urls: {
      basePath: toBasePath(config.site_url),
      pagesPath: '',
      ending: config.use_directory_urls === false ? 'html' : 'slash',
    },
    isMarkdownMdx: false,
    pageExtensions: hasMacros(config) ? ['macros'] : [],
  }
}

const macrosPlugin = /^(?:macros|markdownextradata|jinja2|simple-blog|table-reader)$/

function hasMacros(config: ConfigData): boolean {
  const plugins = dataAt(config, 'plugins')
  const names = Array.isArray(plugins)
    ? plugins.map((plugin) => (typeof plugin === 'string' ? plugin : Object.keys(plugin ?? {})[0]))
    : Object.keys((plugins as object | undefined) ?? {})
  return names.some((name) => name !== undefined && macrosPlugin.test(name))
}

/** Files of the awesome-nav and awesome-pages plugins. */
export function findFolderNavigation(site: Site, path: string): NavigationFile | undefined {
  const isInPages = pathInFolder(path, site.pagesFolder) !== undefined
  return isInPages && ['.nav.yml', '.pages'].includes(nameOf(path)) ? { format: 'yaml', part: 'whole' } : undefined
}

export function urlOfMkdocsPage(site: Site, { path }: { path: string }): string | undefined {
  const relative = pathInFolder(path, site.pagesFolder)
  if (relative === undefined || !/\.(?:md|markdown)$/i.test(path)) return undefined
  const { path: bare, isIndex } = splitIndex(relative, ['index', 'README'])
  return buildUrl(site, bare, isIndex)
}
