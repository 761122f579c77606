/**
 * npm run check:helm: lints the Helm chart, renders it with all values in deploy/helm/ci, validates the manifests against
 * the API of each supported Kubernetes version, and checks what the chart guarantees about security.
 */
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { runCommand } from '../testing/services/run-command.ts'
import { parseCodeBlocks } from './code-blocks.ts'
import { chartRules } from './kubernetes/chart-rules.ts'
import { chartDirectory, type Manifest, parseManifests, renderChart } from './kubernetes/manifests.ts'
import { getSchemaLocation } from './kubernetes/schemas.ts'
import { getHelm, getKubeconform, supportedKubernetes } from './kubernetes/tools.ts'

const ciDirectory = join(chartDirectory, 'ci')
const minimalValues = join(ciDirectory, 'minimal.yaml')
const everythingValues = join(ciDirectory, 'everything.yaml')

/** The chart does not depend on the version of the cluster, so what the oldest one gets, all get. */
const kubernetesVersion = supportedKubernetes.at(-1)?.version ?? ''

/** Values that the chart must refuse, and part of the message. */
const refusedValues: readonly { set: string; message: RegExp }[] = [
  { set: 'images.server.repository=""', message: /images\.server\.repository is required/ },
  { set: 'images.runner.repository=""', message: /images\.runner\.repository is required/ },
  { set: 'publicUrl=""', message: /publicUrl is required/ },
  { set: 'temporal.address=""', message: /temporal\.address is required/ },
  { set: 'secrets.temporalApiKey.name="temporal"', message: /temporal\.tls: true is required/ },
  { set: 'databaseRoles.api=""', message: /databaseRoles\.api and databaseRoles\.worker must be set together/ },
  { set: 'backup.enabled=true', message: /backup\.storage is required/ },
  { set: 'backup={"enabled":true,"storage":"s3://bucket"}', message: /backup\.recipients is required/ },
  { set: 'backup.storage="/var/backups"', message: /backup\/storage/ },
  { set: 'settings.COLOPHON_BACKUP_KEEP="3"', message: /'COLOPHON_BACKUP_KEEP' not allowed/ },
  { set: 'ingress.enabled=true', message: /trustedProxies is required/ },
  { set: 'worker.enabled=false', message: /gateway\.url is required/ },
  { set: 'runners.replicas=3', message: /'runners' not allowed/ },
  { set: 'api.replica=3', message: /'replica' not allowed/ },
  { set: 'settings.COLOPHON_DATABASE_URL="postgres://"', message: /'COLOPHON_DATABASE_URL' not allowed/ },
  { set: 'settings.COLOPHON_JOB_DEADLINE="60"', message: /'COLOPHON_JOB_DEADLINE' not allowed/ },
  { set: 'api.extraEnv=[{"name":"COLOPHON_SEALING_PRIVATE_KEYS","value":"key"}]', message: /api\/extraEnv/ },
  { set: 'runner.extraEnv=[{"name":"PASSWORD","valueFrom":{}}]', message: /runner\/extraEnv/ },
  { set: 'runner.seccompProfile={"type":"Localhost"}', message: /localhostProfile/ },
  { set: 'networkPolicy.dns=[]', message: /networkPolicy\/dns/ },
  { set: 'networkPolicy.enabled=false', message: /networkPolicy\.allowUnrestrictedRunners: true/ },
  { set: 'publicUrl="https://example.com/docs"', message: /publicUrl/ },
]

/** Values that the chart must accept, although the rules would report their manifests. */
const acceptedValues: readonly (readonly string[])[] = [
  ['networkPolicy.enabled=false', 'networkPolicy.allowUnrestrictedRunners=true'],
  ['networkPolicy.enabled=false', 'runner.enabled=false'],
  ['databaseRoles.api=', 'databaseRoles.worker='],
]

interface Tools {
  helm: string
  kubeconform: string
  /** Kubernetes version → option of kubeconform. */
  schemas: Map<string, string>
}

async function getTools(): Promise<Tools> {
  const schemas = new Map<string, string>()
  for (const kubernetes of supportedKubernetes) schemas.set(kubernetes.version, await getSchemaLocation(kubernetes))
  return { helm: await getHelm(), kubeconform: await getKubeconform(), schemas }
}

/** Validates files with manifests against the API of each supported version. */
async function findValidationProblems({ kubeconform, schemas }: Tools, files: readonly string[]): Promise<string[]> {
  const problems: string[] = []
  for (const [version, location] of schemas) {
    const command = [kubeconform, '-strict', '-schema-location', location, ...files]
    await runCommand(command).catch((error: Error) => problems.push(`Kubernetes ${version}: ${error.message}`))
  }
  return problems
}

/** Renders the chart into the directory. The rules check the result, and the caller validates it. */
async function checkValues({ helm }: Tools, valuesFile: string, directory: string): Promise<string[]> {
  const problems: string[] = []
  const lint = ['lint', '--strict', '--quiet', chartDirectory, '--values', valuesFile]
  await runCommand([helm, ...lint, '--kube-version', kubernetesVersion]).catch(({ message }: Error) =>
    problems.push(message),
  )
  const text = await renderChart({ helm, valuesFile, kubernetesVersion })
  await writeFile(join(directory, basename(valuesFile)), text)
  const manifests = parseManifests(text)
  problems.push(...chartRules.flatMap(({ findProblems }) => findProblems(manifests)))
  return problems.map((problem) => `${basename(valuesFile)}: ${problem}`)
}

/** The example that operators copy. */
async function writeReadmeValues(directory: string): Promise<string> {
  const readme = await readFile(join(chartDirectory, 'README.md'), 'utf8')
  const [example, ...others] = parseCodeBlocks('README.md', readme).filter(({ language }) => language === 'yaml')
  if (!example || others.length > 0) throw new Error('The README of the chart must have one example of values.')
  const file = join(directory, 'values-in-readme.yaml')
  await writeFile(file, example.text)
  return file
}

async function checkRefusedValues({ helm }: Tools): Promise<string[]> {
  const problems = refusedValues.map(async ({ set, message }) => {
    try {
      await renderChart({ helm, valuesFile: minimalValues, set: [set], kubernetesVersion })
      return [`The chart accepts ${set}.`]
    } catch (error) {
      const { message: found } = error as Error
      return message.test(found) ? [] : [`The chart refuses ${set} with another message: ${found}`]
    }
  })
  return (await Promise.all(problems)).flat()
}

async function checkAcceptedValues({ helm }: Tools): Promise<string[]> {
  const problems: string[] = []
  for (const set of acceptedValues)
    await renderChart({ helm, valuesFile: minimalValues, set, kubernetesVersion }).catch(({ message }: Error) =>
      problems.push(`The chart refuses ${set.join(', ')}: ${message}`),
    )
  return problems
}

/** A rule that does not report a chart that was broken on purpose checks nothing. */
async function checkRules(tools: Tools, directory: string): Promise<{ problems: string[]; broken: number }> {
  const text = await renderChart({ helm: tools.helm, valuesFile: everythingValues, kubernetesVersion })
  let broken = 0
  const problems = chartRules.flatMap(({ title, findProblems, breaks }) =>
    Object.entries(breaks).flatMap(([name, change]) => {
      const manifests: Manifest[] = parseManifests(text)
      change(manifests)
      broken++
      return findProblems(manifests).length > 0 ? [] : [`The rule "${title}" does not notice ${name}.`]
    }),
  )
  // kubeconform too: a misspelled field, and a wrong type
  const file = join(directory, 'broken.yaml') // it ignores files with other names
  for (const [from, to] of [
    ['readOnlyRootFilesystem', 'readOnlyRootFileSystem'],
    ['containerPort: 8080', 'containerPort: "http"'],
  ] as const) {
    await writeFile(file, text.replaceAll(from, to))
    broken++
    const found = await findValidationProblems(tools, [file])
    if (found.length < supportedKubernetes.length) problems.push(`kubeconform does not notice ${to}.`)
  }
  return { problems, broken }
}

const directory = await mkdtemp(join(tmpdir(), 'colophon-helm-'))
try {
  const tools = await getTools()
  const rules = await checkRules(tools, directory)
  const problems = [...rules.problems, ...(await checkRefusedValues(tools)), ...(await checkAcceptedValues(tools))]
  const valuesFiles = [...globSync(join(ciDirectory, '*.yaml')).toSorted(), await writeReadmeValues(directory)]
  const rendered = join(directory, 'rendered')
  await mkdir(rendered)
  for (const valuesFile of valuesFiles) problems.push(...(await checkValues(tools, valuesFile, rendered)))
  problems.push(...(await findValidationProblems(tools, [rendered])))
  for (const problem of problems) console.error(problem)
  console.log(
    `${problems.length} problems in deploy/helm: ${valuesFiles.length} sets of values for Kubernetes ` +
      `${supportedKubernetes.map(({ version }) => version).join(', ')}; ${refusedValues.length} wrong values and ` +
      `${rules.broken} broken charts were tried.`,
  )
  process.exitCode = problems.length === 0 ? 0 : 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  await rm(directory, { recursive: true })
}
