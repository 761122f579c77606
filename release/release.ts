/**
 * npm run release -- VERSION [--dry-run | --tagged] [--output DIRECTORY] [--repository OWNER/NAME]
 *
 * --dry-run makes everything that a release consists of, from a temporary clone; the checkout is not changed. Without it, the
 * version is committed and tagged, a second commit records the first in releases.json, and nothing is pushed. The workflow of the pushed tag uses --tagged, which makes the same
 * files from a commit that has the version already, and --image-digest for the images that it has pushed.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { getHelm } from '../checks/kubernetes/tools.ts'
import { npmNames } from '../sdk/npm-names.ts'
import { runCommand } from '../testing/services/run-command.ts'
import { releaseNotes } from './changelog.ts'
import { type Artifact, formatChecksums, sha256OfFile } from './checksums.ts'
import { buildImages } from './images.ts'
import { type Build, provenanceStatement } from './provenance.ts'
import { releasedChartValues } from './released-chart-values.ts'
import { releasedComposeFile } from './released-compose-file.ts'
import { type ImageDigests, imageRegistry, imageTargets, parseImageDigests } from './released-images.ts'
import { addRelease, readReleases, releasesFile } from './releases.ts'
import { removeUnreleasedPackages } from './sbom.ts'
import { setChartVersion, setLockfileVersion, setManifestVersion, versionProblem } from './version.ts'

class ReleaseRefused extends Error {}

const root = join(import.meta.dirname, '..')

interface Request {
  version: string
  mode: 'dry-run' | 'tagged' | 'commit'
  output: string
  repository: string | undefined
  /** Of images that are pushed already. They are not built again. */
  imageDigests: ImageDigests | undefined
}

async function readRequest(): Promise<Request> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      tagged: { type: 'boolean', default: false },
      output: { type: 'string', default: join(root, 'dist/release') },
      repository: { type: 'string' },
      'image-digest': { type: 'string', multiple: true, default: [] },
    },
  })
  const [version, ...rest] = positionals
  if (version === undefined || rest.length > 0) throw new ReleaseRefused('Usage: npm run release -- VERSION --dry-run')
  if (values['dry-run'] && values.tagged) throw new ReleaseRefused('Use either --dry-run or --tagged.')
  return {
    version,
    mode: values['dry-run'] ? 'dry-run' : values.tagged ? 'tagged' : 'commit',
    output: resolve(values.output),
    repository: values.repository ?? (await readGithubRepository()),
    imageDigests: parseImageDigests(values['image-digest']),
  }
}

const git = async (directory: string, ...args: string[]) =>
  (await runCommand(['git', ...args], { cwd: directory })).trim()

/** `owner/name`, if the origin of this clone is on GitHub. */
async function readGithubRepository(): Promise<string | undefined> {
  const url = await git(root, 'remote', 'get-url', 'origin').catch(() => '')
  return /github\.com[:/]([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url)?.[1]
}

const manifestsIn = (directory: string) => {
  const { workspaces } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { workspaces: string[] }
  return ['package.json', ...workspaces.map((name) => `${name}/package.json`)]
}

async function refuseIfNotReleasable({ version, mode }: Request): Promise<void> {
  const changes = await git(root, 'status', '--porcelain')
  if (changes !== '') throw new ReleaseRefused(`The checkout has changes that are not committed:\n${changes}`)
  const { version: current } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  if (mode === 'tagged') {
    const tags = (await git(root, 'tag', '--points-at', 'HEAD')).split('\n')
    if (!tags.includes(`v${version}`)) throw new ReleaseRefused(`HEAD does not have the tag v${version}.`)
    if (current !== version) throw new ReleaseRefused(`package.json has version ${current}, not ${version}.`)
    return
  }
  const problem = versionProblem(version, { current, released: readReleases(root).map((release) => release.version) })
  if (problem) throw new ReleaseRefused(problem)
}

const editFile = (path: string, edit: (text: string) => string) => writeFileSync(path, edit(readFileSync(path, 'utf8')))

/** Writes the version to every file that has it, and commits them. */
async function commitVersion(directory: string, version: string): Promise<void> {
  for (const file of manifestsIn(directory))
    editFile(join(directory, file), (text) => setManifestVersion(text, version))
  editFile(join(directory, 'package-lock.json'), (text) => setLockfileVersion(text, version))
  editFile(join(directory, 'deploy/helm/Chart.yaml'), (text) => setChartVersion(text, version))
  await runCommand([process.execPath, 'checks/openapi.ts'], { cwd: directory }) // the API description has the version too
  await git(directory, 'add', '--update')
  const hasChanges = (await git(directory, 'status', '--porcelain', '--untracked-files=no')) !== ''
  if (hasChanges) await git(directory, 'commit', '--quiet', '--message', `release: ${version}`)
}

/** npm shows the source beside the package, and requires it for provenance. */
function describeSource(directory: string, repository: string | undefined): void {
  cpSync(join(directory, 'LICENSE'), join(directory, 'cli/LICENSE')) // sdk/build.ts adds it to the other package
  if (!repository) return
  for (const name of ['sdk', 'cli']) {
    const source = { type: 'git', url: `git+https://github.com/${repository}.git`, directory: name }
    editManifest(join(directory, name), (manifest) => ({ ...manifest, repository: source }))
  }
}

const editManifest = (directory: string, edit: (manifest: object) => object) =>
  editFile(join(directory, 'package.json'), (text) => `${JSON.stringify(edit(JSON.parse(text) as object), null, 2)}\n`)

/** The name of the wheel is part of the format. The workflow does not publish it, because nobody owns its name yet. */
async function makeWheel(source: string, output: string): Promise<void> {
  await runCommand([process.execPath, 'python/build.ts'], { cwd: source })
  cpSync(join(source, 'python/dist'), output, { recursive: true })
}

/** Under names that do not change with the setting of sdk/npm-names.ts, because the workflow knows them. */
async function makeNpmPackages(source: string, { output, version }: Request): Promise<void> {
  await runCommand(['npm', 'run', 'build', '--workspace', 'sdk'], { cwd: source })
  cpSync(join(source, 'sdk/dist/sdk.tgz'), join(output, `colophon-sdk-${version}.tgz`))

  await runCommand(['npm', 'run', 'build', '--workspace', 'cli'], { cwd: source })
  const cli = join(source, 'cli')
  editManifest(cli, (manifest) => ({ ...manifest, name: npmNames.cli, dependencies: {} })) // they are in the bundle
  const packed = (await runCommand(['npm', 'pack', '--loglevel=error'], { cwd: cli })).trim().split('\n').at(-1) ?? ''
  cpSync(join(cli, packed), join(output, `colophon-cli-${version}.tgz`))
  cpSync(join(cli, 'dist/colophon.mjs'), join(output, 'colophon.mjs'))
}

/** Returns why it was left out, if it was. */
async function makeExecutable(source: string, { output }: Request): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'it is made on Linux on x64'
  const file = join(output, 'colophon-linux-x64')
  await runCommand(['npm', 'run', 'build:executable', '--workspace', 'cli', '--', file], { cwd: source })
  return undefined
}

const imagePrefix = (repository: string | undefined) =>
  repository ? `${imageRegistry}/${repository.toLowerCase()}` : 'colophon'

/** Returns what was left out, with the reason. */
async function makeArtifacts(source: string, request: Request): Promise<string[]> {
  const { version, output, repository, imageDigests: digests } = request
  const skipped: string[] = []
  const step = (text: string) => console.log(`  ${text}`)

  writeFileSync(
    join(output, 'release-notes.md'),
    releaseNotes(readFileSync(join(source, 'CHANGELOG.md'), 'utf8'), version),
  )

  step('npm packages')
  describeSource(source, repository)
  await makeNpmPackages(source, request)
  step('executable of the command')
  const noExecutable = await makeExecutable(source, request)
  if (noExecutable) skipped.push(`executable of the command: ${noExecutable}`)
  step('Python wheel')
  await makeWheel(source, output)
  await git(source, 'checkout', '--quiet', '.')

  step('SBOM')
  const sbom = [
    'npm',
    'sbom',
    '--package-lock-only',
    '--omit=dev',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
  ]
  const sbomText = removeUnreleasedPackages(await runCommand(sbom, { cwd: source }))
  writeFileSync(join(output, `colophon-${version}.cdx.json`), sbomText)

  const prefix = imagePrefix(repository)
  step('container images')
  const noImages = digests
    ? 'they are in the registry already'
    : await buildImages(source, output, { prefix, version, revision: await git(source, 'rev-parse', 'HEAD') })
  if (noImages) skipped.push(`container images: ${noImages}`)
  if (digests) {
    const names = imageTargets.map((target) => `${prefix}/${target}:${version}@${digests[target]}\n`)
    writeFileSync(join(output, 'images.txt'), names.join(''))
  }

  step('compose files')
  for (const name of ['compose.yml', 'compose.tls.yml', 'compose.backup.yml', 'compose.demo.yml']) {
    const compose = readFileSync(join(source, 'deploy', name), 'utf8')
    writeFileSync(join(output, name), releasedComposeFile(compose, { prefix, version, digests }))
  }

  step('Helm chart')
  editFile(join(source, 'deploy/helm/values.yaml'), (text) => releasedChartValues(text, { prefix, version, digests }))
  await runCommand([await getHelm(), 'package', join(source, 'deploy/helm'), '--destination', output])
  return skipped
}

const describeArtifacts = (directory: string): Promise<Artifact[]> =>
  Promise.all(
    readdirSync(directory)
      .toSorted()
      .map(async (name) => {
        const path = join(directory, name)
        return { name, sizeBytes: statSync(path).size, sha256: await sha256OfFile(path) }
      }),
  )

function readWorkflow(): Build['workflow'] {
  const { GITHUB_WORKFLOW_REF: ref, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = process.env
  const attempt = process.env.GITHUB_RUN_ATTEMPT ?? '1'
  return ref && repository && run
    ? { ref, runUrl: `https://github.com/${repository}/actions/runs/${run}/attempts/${attempt}` }
    : undefined
}

/** Deletes an earlier release, but not a directory with other files that was named by mistake. */
function emptyOutput(output: string): void {
  const isEmpty = !existsSync(output) || readdirSync(output).length === 0
  if (!isEmpty && !existsSync(join(output, 'SHA256SUMS')))
    throw new ReleaseRefused(`${output} has other files: name an empty directory.`)
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
}

async function makeRelease(request: Request): Promise<void> {
  const { version, mode, output, repository } = request
  const startedAt = new Date()
  const commit = await git(root, 'rev-parse', 'HEAD')
  emptyOutput(output)
  const temporary = mkdtempSync(join(tmpdir(), 'colophon-release-'))
  const source = join(temporary, 'colophon') // npm puts the name of the directory into the SBOM
  try {
    console.log(`Colophon ${version}, from commit ${commit}`)
    await runCommand(['git', 'clone', '--quiet', '--no-hardlinks', root, source])
    await copyCommitter(source)
    console.log('  packages (about 1 min)')
    await runCommand(['npm', 'ci', '--no-audit', '--no-fund'], { cwd: source })
    if (mode === 'dry-run') await commitVersion(source, version)
    const lockfileSha256 = await sha256OfFile(join(source, 'package-lock.json'))
    const skipped = await makeArtifacts(source, request)

    const build = {
      version,
      repository,
      commit,
      lockfileSha256,
      workflow: readWorkflow(),
      startedAt,
      finishedAt: new Date(),
    }
    const statement = provenanceStatement(await describeArtifacts(output), build)
    writeFileSync(join(output, 'provenance.intoto.json'), `${JSON.stringify(statement, null, 2)}\n`)
    const artifacts = await describeArtifacts(output)
    writeFileSync(join(output, 'SHA256SUMS'), formatChecksums(artifacts))
    printSummary(artifacts, skipped, request)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** A clone has none of its own, and a machine of CI has none at all. */
async function copyCommitter(source: string): Promise<void> {
  for (const [key, fallback] of [
    ['user.name', 'release'],
    ['user.email', 'release@localhost'],
  ] as const) {
    await git(source, 'config', key, await git(root, 'config', key).catch(() => fallback))
  }
}

const formatSize = (bytes: number) =>
  bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

function printSummary(artifacts: readonly Artifact[], skipped: readonly string[], request: Request): void {
  const width = Math.max(...artifacts.map(({ name }) => name.length))
  console.log(`\nIn ${request.output}:\n`)
  for (const { name, sizeBytes, sha256 } of artifacts)
    console.log(`  ${name.padEnd(width)}  ${formatSize(sizeBytes).padStart(9)}  sha256 ${sha256.slice(0, 16)}…`)
  console.log(`  SHA256SUMS`)
  for (const reason of skipped) console.log(`\n  NOTE, ${reason}`)
  const images = `${imagePrefix(request.repository)}/{${imageTargets.join(',')}}:${request.version}`
  console.log(`\nTag: v${request.version}. Images: ${images}.`)
  if (!request.repository)
    console.log('The origin of this clone is not on GitHub: use --repository OWNER/NAME for the names of images.')
}

const intendedChangesFiles = ['checks/api-changes.json', 'checks/schema-changes.json']
const historiesDirectory = 'server/src/workflows/histories'

/**
 * In a commit of its own: no commit can contain its own hash. From here on the API and the schema are compared with this release, which
 * has all changes that were listed, and the workflow histories of this release are replayed.
 */
async function recordRelease(version: string, commit: string): Promise<void> {
  editFile(join(root, releasesFile), (text) => addRelease(text, { version, commit }))
  for (const file of intendedChangesFiles) editFile(join(root, file), () => '[]\n')
  await git(root, 'add', releasesFile, ...intendedChangesFiles, historiesDirectory)
  await git(root, 'commit', '--quiet', '--message', `release: record the commit of ${version}`)
}

async function commitAndTag({ version }: Request): Promise<void> {
  releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (!existsSync(join(root, 'node_modules'))) throw new ReleaseRefused('Run ./setup first.')
  console.log('  workflow histories (about 1 min)') // not committed before the release: they belong to the commit that records it
  await runCommand([process.execPath, 'checks/workflow-histories.ts', version], { cwd: root })
  await commitVersion(root, version)
  await git(root, 'tag', '--annotate', `v${version}`, '--message', `Colophon ${version}`)
  const commit = await git(root, 'rev-parse', 'HEAD')
  await recordRelease(version, commit)
  console.log(`Committed and tagged v${version}. Nothing is published yet. Push the commit of the release:

  git push origin ${commit}:main

When CI has passed for it, push the tag, which starts .github/workflows/release.yml, and the commit that records the release:

  git push origin v${version} HEAD:main`)
}

try {
  const request = await readRequest()
  await refuseIfNotReleasable(request)
  if (request.mode === 'commit') await commitAndTag(request)
  else {
    releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), request.version) // before the work begins
    await makeRelease(request)
  }
} catch (error) {
  console.error(`release: ${(error as Error).message}`)
  process.exit(1)
}
