import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { docsFolderRules } from '../content-gate/testing/change-rules.ts'
import { BareRepository } from './bare-repository.ts'
import { type CraftedFiles, createChangeBundle } from './testing/craft-commit.ts'
import { createGiteaTestRepository, type GiteaTestRepository } from './testing/gitea-test-repository.ts'

const sidebars = "module.exports = { docs: ['index'] }\n"
const page = 'import Tabs from \'@theme/Tabs\'\n\n<Tabs groupId="os">See https://known.example/a.</Tabs>\n'
const files: CraftedFiles = {
  'website/docusaurus.config.js': "module.exports = { baseUrl: '/', presets: [] }\n",
  'website/sidebars.js': sidebars,
  'website/docs/index.mdx': page,
  'website/docs/old.md': '# Old\n\n{format(props.version)}\n',
  'other/mkdocs.yml': 'nav:\n  - Home: index.md\n',
  'other/docs/index.md': '# Other\n',
}

let gitea: GiteaTestRepository
beforeAll(async () => {
  gitea = await createGiteaTestRepository(inject('services').gitea, files)
})
afterAll(() => gitea.remove())

const open = async () =>
  BareRepository.open({
    remote: await gitea.host.gitRemote(),
    egress: gitea.egress,
    signal: AbortSignal.timeout(60_000),
  })

async function accept(changes: Record<string, string | undefined>) {
  await using repository = await open()
  return await repository.accept({
    bundle: createChangeBundle(gitea.base, changes),
    base: gitea.base.id,
    branch: 'main',
    rules: docsFolderRules('website/docs'),
  })
}

it('recognizes the site of the docs folder, or the one that a person chose', async () => {
  await using repository = await open()
  await expect(repository.recognizeSite('main', docsFolderRules('website/docs'))).resolves.toMatchObject({
    generator: 'docusaurus',
    configFile: 'website/docusaurus.config.js',
    pagesFolder: 'website/docs',
  })
  await expect(
    repository.recognizeSite('main', docsFolderRules('website/docs', { siteGenerator: 'mkdocs' })),
  ).resolves.toMatchObject({ generator: 'mkdocs', folder: 'other' })
  await expect(repository.recognizeSite('none', docsFolderRules(''))).resolves.toBeUndefined()
})

it('accepts a page with what other pages use, and its entry in the navigation outside of the docs folder', async () => {
  await expect(
    accept({
      'website/docs/new.mdx': page.replace(
        'https://known.example/a',
        'https://known.example/b and https://new.example/',
      ),
      'website/sidebars.js': sidebars.replace("'index'", "'index', 'new'"),
    }),
  ).resolves.toMatchObject({ kind: 'accepted', result: { newHosts: ['new.example'] } })
})

it('accepts a page that moves with its active content', async () => {
  const moved = { 'website/docs/old.md': undefined, 'website/docs/moved.md': '# Old page\n\n{format(props.version)}\n' }
  await expect(accept(moved)).resolves.toMatchObject({ kind: 'accepted' })
  await expect(accept({ 'website/docs/copied.md': '# Copied\n\n{format(props.version)}\n' })).resolves.toMatchObject({
    kind: 'refused',
  })
})

it('names file, line and text of what it refuses', async () => {
  await expect(accept({ 'website/docs/new.md': '# New\n\n{process.env.TOKEN}\n' })).resolves.toEqual({
    kind: 'refused',
    refusals: [
      {
        code: 'active_content',
        kind: 'expression',
        path: 'website/docs/new.md',
        line: 3,
        text: '{process.env.TOKEN}',
      },
    ],
  })
})

it('refuses the navigation of a site elsewhere in the repository', async () => {
  await expect(accept({ 'other/mkdocs.yml': 'nav:\n  - Home: index.md\n  - New: new.md\n' })).resolves.toEqual({
    kind: 'refused',
    refusals: [{ code: 'outside_docs_folder', path: 'other/mkdocs.yml' }],
  })
})
