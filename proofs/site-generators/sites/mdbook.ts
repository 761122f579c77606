import { posix } from 'node:path'
import {
  createLayouts,
  createPages,
  type ExampleSite,
  groupPages,
  relativeTarget,
  renderMarkdown,
} from '../example-site.ts'

const inSource = (path: string) => posix.relative('src', path)

export const mdbookSite: ExampleSite = {
  generator: 'mdbook',
  // Without the features that serve a book and watch its files, and not optimized: that builds in a third of the time.
  installation: { from: 'crates', crate: 'mdbook', version: '0.5.4', arguments: ['--no-default-features', '--debug'] },
  docsFolder: 'src',
  // Not README.md in the sections: mdBook does not adapt links to it.
  ...createLayouts('src', { home: 'README' }),
  createFiles(layout) {
    const summary = groupPages(layout).flatMap(({ pages }) =>
      pages.map(({ title, path }, index) => `${index === 0 ? '' : '  '}- [${title}](${inSource(path)})\n`),
    )
    return {
      'book.toml': '[book]\ntitle = "Example"\n\n[output.html]\nsite-url = "/manual/"\n',
      'src/SUMMARY.md': `# Summary\n\n[Manual](README.md)\n\n${summary.join('')}`,
      ...createPages(layout, relativeTarget, renderMarkdown),
    }
  },
  build: (installed) => [[`${installed}/bin/mdbook`, 'build', '--dest-dir', 'out']],
  output: 'out',
  navigationFile: 'toc.html',
}
