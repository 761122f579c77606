import { type ConfigData, dataAt, readToml } from '../config/read-config.ts'
import { pageFormatWithMarkdown } from '../page-format.ts'
import type { SiteGenerator } from '../site-generator.ts'
import { nameOf } from '../site-paths.ts'
import { createMkdocsSite, findFolderNavigation, urlOfMkdocsPage } from './mkdocs.ts'

/** Zensical also reads `mkdocs.yml`. Such a site is recognized as MkDocs, which has the same rules. */
export const zensical: SiteGenerator = {
  id: 'zensical',
  name: 'Zensical',

  isConfigName: (path) => nameOf(path) === 'zensical.toml',

  async openSite(files, configFile) {
    const config = readToml(await files.read(configFile))
    return createMkdocsSite('zensical', configFile, (dataAt(config, 'project') ?? {}) as ConfigData)
  },

  findNavigation(site, path) {
    if (path === site.configFile) return { format: 'toml', part: [{ keys: ['project', 'nav'] }] }
    return findFolderNavigation(site, path)
  },

  pageFormat: (_site, path) => pageFormatWithMarkdown(path, 'python-markdown'),
  urlOf: urlOfMkdocsPage,

  describeNavigation: ({ configFile }) =>
    `If \`${configFile}\` has \`nav\` in \`[project]\`, add the page there, as \`{ "Title" = "path/in/the/docs/folder.md" }\`; change nothing but \`nav\` in this file. Without \`nav\`, the navigation follows the files.`,
}
