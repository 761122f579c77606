/**
 * node select-packages.mjs server|runner: removes every installed package that this image does not need. Runs in the build of the
 * image, in the directory of node_modules.
 *
 * npm cannot do this: the two images have one package.json, npm installs optional peers of packages because another workspace
 * has them (React), and @temporalio/worker depends on webpack to bundle workflows, which are bundled already.
 */
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Packages of only one image. */
const onlyFor = {
  server: [
    '@clickhouse/client',
    '@colophon/mcp',
    '@hpke/core',
    '@temporalio/activity',
    '@temporalio/client',
    '@temporalio/worker',
    '@temporalio/workflow',
    'age-encryption',
    'better-auth',
    'kysely',
    'marked',
    'nodemailer',
    'pg',
    'pg-copy-streams',
  ],
  runner: ['@earendil-works/pi-coding-agent', '@mdx-js/mdx'],
}

/** Needed to bundle workflows only. The first three are imported when @temporalio/worker is, so they are replaced by an empty module. */
const replaced = ['webpack', 'memfs', 'unionfs']
const dropped = { '@temporalio/worker': [...replaced, '@swc/core', 'swc-loader', 'source-map-loader'] }

const [, , image = ''] = process.argv
const other = { server: 'runner', runner: 'server' }[image]
if (!other) throw new Error('usage: node select-packages.mjs server|runner')

const readManifest = (directory) => JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))

/** The directory that Node would load the package from. */
function resolve(name, from) {
  for (let directory = from; ; directory = dirname(directory)) {
    const candidate = join(directory, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (directory === '.') return undefined
  }
}

const needed = new Set()
function add(name, from, { isOptional }) {
  const directory = resolve(name, from)
  if (!directory && !isOptional) throw new Error(`${from} needs ${name}, which is not installed.`)
  if (!directory || needed.has(directory)) return
  needed.add(directory)
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = readManifest(directory)
  for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) {
    if (dropped[name]?.includes(dependency)) continue
    add(dependency, directory, { isOptional: dependency in optionalDependencies })
  }
  for (const peer of Object.keys(peerDependencies)) {
    if (!peerDependenciesMeta[peer]?.optional) add(peer, directory, { isOptional: false })
  }
}
for (const name of Object.keys(readManifest('server').dependencies)) {
  if (!onlyFor[other].includes(name)) add(name, 'server', { isOptional: false })
}

const installed = globSync(['**/node_modules/*/package.json', '**/node_modules/@*/*/package.json'])
  .map(dirname)
  .filter((directory) => /(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/.test(directory))
for (const directory of installed) {
  const contains = [...needed].some((kept) => kept.startsWith(`${directory}/`))
  if (!needed.has(directory) && !contains) rmSync(directory, { recursive: true, force: true })
}
rmSync('node_modules/.bin', { recursive: true, force: true })

// Types and source maps, which nothing reads at run time.
for (const file of globSync('**/node_modules/**/*.{d.ts,d.mts,d.cts,map}')) rmSync(file, { force: true })

if (image === 'server') {
  for (const name of replaced) {
    mkdirSync(join('node_modules', name), { recursive: true })
    writeFileSync(join('node_modules', name, 'package.json'), JSON.stringify({ name, main: 'index.js' }))
    writeFileSync(join('node_modules', name, 'index.js'), '// Not in this image: the workflows are bundled already.\n')
  }
  // Binaries for other platforms, and the sources that they were built from.
  const bridge = 'node_modules/@temporalio/core-bridge'
  const architecture = { x64: 'x86_64', arm64: 'aarch64' }[process.arch]
  for (const release of readdirSync(join(bridge, 'releases')))
    if (release !== `${architecture}-unknown-linux-gnu`) rmSync(join(bridge, 'releases', release), { recursive: true })
  for (const sources of ['sdk-core', 'src', 'ts']) rmSync(join(bridge, sources), { recursive: true, force: true })
}
