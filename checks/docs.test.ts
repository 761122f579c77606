/** The documentation is correct: every path, command, setting and dependency that it names exists. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { pythonDistributionName } from '../python/distribution.ts'
import { adminCommands } from '../server/src/main/admin/admin.ts'
import { listSettings } from '../server/src/platform/settings/setting.ts'
import { settings } from '../server/src/platform/settings/settings.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const documents = globSync(['*.md', '{docs,deploy,testing}/**/*.md', '{server,sdk,python,cli,proofs}/*.md'], {
  cwd: root,
})
const manifests = [
  'package.json',
  ...(JSON.parse(read('package.json')).workspaces as string[]).map((name) => `${name}/package.json`),
]

/** Matches a word in code that looks like a path in this repository. */
const folders = 'server|web|sdk|mcp|python|cli|dev|testing|proofs|checks|release|deploy|docs|\\.ci|\\.github'
const pathPattern = new RegExp(`^\\.?/?((?:${folders})(?:/[\\w.*{}<>…-]+)*/?)$`)

/** Created by operators, or in the repository of a reader. */
const pathsElsewhere = /^(?:deploy\/(?:secrets\/|settings\.env$)|server\/middleware\/count-views\.js$)/

const codeIn = (text: string) => [
  ...[...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? ''),
  ...[...text.matchAll(/```\w*\n([\s\S]*?)```/g)].flatMap((match) => (match[1] ?? '').split('\n')),
]

test.each(documents)('%s names only paths that exist', (document) => {
  const text = read(document)
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '')
  const missingLinks = links.filter((link) => !/^\w+:/.test(link) && !existsSync(join(root, dirname(document), link)))
  const words = codeIn(text).flatMap((code) => code.split(/\s+/))
  const paths = words
    .flatMap((word) => word.match(pathPattern)?.[1] ?? [])
    .filter((path) => !/[*{}<>…]/.test(path) && !pathsElsewhere.test(path))
  const missing = paths.filter(
    (path) => !existsSync(join(root, path)) && !existsSync(join(root, dirname(document), path)),
  )
  expect([...missingLinks, ...missing]).toEqual([])
})

/** What people read: documents, and the texts of the dashboard. */
const publishedTexts = [...documents, 'web/src/keys/examples.ts']
const installsFromNpmByName =
  /\b(npm (i|install|add|exec)|npx|pnpm (add|dlx)|yarn (add|dlx)|bunx?( add)?|deno add)\b[^`\n]*(\s|npm:)@colophon\//
/** A name that is not followed by ` @ ` and the URL of the package. PyPI does not distinguish `-`, `_` and `.` in names. */
const installsFromPypiByName = new RegExp(
  `\\b(pip3?(x)? (install|download|run)|uv (pip install|add|tool)|uvx|poetry add|pdm add)\\b[^\`\\n]*[\\s"']${pythonDistributionName.replaceAll('-', '[-_.]')}(?!-\\d|[\\w.-]| @ )`,
  'i',
)

test.each(publishedTexts)('%s does not install our packages by a name that nobody owns in the registry', (document) => {
  const text = read(document)
  expect(text.match(installsFromNpmByName)?.[0] ?? text.match(installsFromPypiByName)?.[0]).toBeUndefined()
})

test('an installation by name is found', () => {
  for (const command of ['npm install @colophon/sdk', 'npx --yes @colophon/cli status', 'deno add npm:@colophon/sdk'])
    expect(command).toMatch(installsFromNpmByName)
  for (const command of [
    'pip install colophon-client',
    'pip install --upgrade "colophon_client>=0.1"',
    'pip install --find-links https://a.test/clients/ colophon.client',
    'uv add colophon-client==0.1.0',
  ])
    expect(command).toMatch(installsFromPypiByName)
  for (const command of [
    'pip install -r https://a.test/clients/python.txt',
    'pip install "colophon-client @ https://a.test/clients/colophon_client-0.1.0-py3-none-any.whl"',
    'pip install ./colophon_client-0.1.0-py3-none-any.whl',
  ])
    expect(command).not.toMatch(installsFromPypiByName)
})

test.each(documents)('%s names only commands that exist', (document) => {
  const text = read(document)
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts)
  const unknownScripts = [...text.matchAll(/npm run ([\w:-]+)/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => !scripts.includes(name))
  const serverSource = read('server/src/main/colophon-server.ts') + Object.keys(adminCommands.commands).join()
  const isKnown = (words: string[]) => words.every((word) => new RegExp(`\\b${word}\\b`).test(serverSource))
  const unknownCommands = [...text.matchAll(/colophon-server ((?:admin )?[a-z][a-z-]*(?: [a-z]+)?)/g)]
    .map((match) => match[1] ?? '')
    .filter((command) => !isKnown((command.startsWith('admin') ? command : (command.split(' ')[0] ?? '')).split(' ')))
  const proofs = [...text.matchAll(/npm run prove -- ([a-z][a-z-]+)/g)].map((match) => match[1] ?? '')
  const missingProofs = proofs.filter((name) => name !== 'all' && !existsSync(join(root, `proofs/${name}.ts`)))
  expect([...unknownScripts, ...unknownCommands, ...missingProofs]).toEqual([])
})

test('every setting that configuration.md names exists', () => {
  const documented = new Set(read('docs/configuration.md').match(/\bCOLOPHON_[A-Z_]*[A-Z]\b/g))
  const known = listSettings(settings).flatMap(({ name, kind }) => (kind.file ? [name, `${name}_FILE`] : [name]))
  expect(known.length).toBeGreaterThan(40)
  expect([...documented.difference(new Set(known))]).toEqual([])
})

test.each(globSync('deploy/proxies/*', { cwd: root }))('the docs show %s, which a proof tests, as it is', (file) => {
  expect(read('docs/operations/tls-and-proxies.md')).toContain(`\n${read(file)}\`\`\`\n`)
})

test('every dependency is documented, and every documented dependency exists', () => {
  const dependencies = manifests.flatMap((path) => {
    const { dependencies: runtime = {}, devDependencies: development = {} } = JSON.parse(read(path))
    for (const version of Object.values({ ...runtime, ...development }))
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
    return Object.keys({ ...runtime, ...development })
  })
  const documented = [...read('docs/decisions/dependencies.md').matchAll(/^\| `([^`]+)`/gm)].map(
    (match) => match[1] ?? '',
  )
  const outsideTheCheckout = new Set([
    'libchdb',
    'schemathesis',
    'datamodel-code-generator',
    'mypy',
    'pytest',
    'httpx',
    'anyio',
    'typing-extensions',
    'actionlint',
    'helm',
    'kubeconform',
    'promtool',
    'k8s.io/kubernetes',
    '@octokit/fixtures',
    '@octokit/openapi',
    '@octokit/webhooks-examples',
  ])
  expect(documented.filter((name) => !outsideTheCheckout.has(name)).toSorted()).toEqual(
    [...new Set(dependencies)].toSorted(),
  )
})
