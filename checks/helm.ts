/**
 * npm run check:helm: lints the Helm chart, renders it with all values in deploy/helm/ci, validates the manifests against
 * the API of each supported Kubernetes version, and checks what the chart guarantees about security.
 */
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runCommand } from '../dev-services/run-command.ts'
import { chartRules } from './kubernetes/chart-rules.ts'
import { chartDirectory, type Manifest, parseManifests, renderChart } from './kubernetes/manifests.ts'
import { getSchemaLocation } from './kubernetes/schemas.ts'
import { getHelm, getKubeconform, supportedKubernetes } from './kubernetes/tools.ts'

const valuesFiles = globSync(join(chartDirectory, 'ci/*.yaml')).toSorted()
const minimalValues = join(chartDirectory, 'ci/minimal.yaml')
const [{ version: newestVersion }] = supportedKubernetes

/** Values that the chart must refuse, and part of the message. */
const refusedValues: readonly { set: string; message: RegExp }[] = [
  { set: 'images.server.repository=""', message: /images\.server\.repository is required/ },
  { set: 'images.runner.repository=""', message: /images\.runner\.repository is required/ },
  { set: 'publicUrl=""', message: /publicUrl is required/ },
  { set: 'temporal.address=""', message: /temporal\.address is required/ },
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
  { set: 'publicUrl="https://example.com/docs"', message: /publicUrl/ },
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

async function findValidationProblems(
  { kubeconform, schemas }: Tools,
  version: string,
  text: string,
): Promise<string[]> {
  const command = [kubeconform, '-strict', '-output', 'json', '-schema-location', schemas.get(version) ?? '', '-']
  try {
    await runCommand(command, { stdin: text })
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

async function checkValues(tools: Tools, valuesFile: string): Promise<string[]> {
  const problems: string[] = []
  const lint = ['lint', '--strict', '--quiet', chartDirectory, '--values', valuesFile, '--kube-version', newestVersion]
  await runCommand([tools.helm, ...lint]).catch((error: Error) => problems.push(error.message))
  for (const { version } of supportedKubernetes) {
    const text = await renderChart({ helm: tools.helm, valuesFile, kubernetesVersion: version })
    const manifests = parseManifests(text)
    problems.push(
      ...(await findValidationProblems(tools, version, text)),
      ...chartRules.flatMap(({ findProblems }) => findProblems(manifests)),
    )
  }
  return [...new Set(problems)].map((problem) => `${basename(valuesFile)}: ${problem}`)
}

async function checkRefusedValues({ helm }: Tools): Promise<string[]> {
  const problems = refusedValues.map(async ({ set, message }) => {
    try {
      await renderChart({ helm, valuesFile: minimalValues, set: [set], kubernetesVersion: newestVersion })
      return [`The chart accepts ${set}.`]
    } catch (error) {
      const { message: found } = error as Error
      return message.test(found) ? [] : [`The chart refuses ${set} with another message: ${found}`]
    }
  })
  return (await Promise.all(problems)).flat()
}

/** A rule that does not report a chart that was broken on purpose checks nothing. */
async function checkRules(tools: Tools): Promise<{ problems: string[]; broken: number }> {
  const valuesFile = join(chartDirectory, 'ci/everything.yaml')
  const text = await renderChart({ helm: tools.helm, valuesFile, kubernetesVersion: newestVersion })
  let broken = 0
  const problems = chartRules.flatMap(({ title, findProblems, breaks }) =>
    Object.entries(breaks).flatMap(([name, change]) => {
      const manifests: Manifest[] = parseManifests(text)
      change(manifests)
      broken++
      return findProblems(manifests).length > 0 ? [] : [`The rule "${title}" does not notice ${name}.`]
    }),
  )
  // kubeconform too: a typo in a field, and a wrong type
  for (const [from, to] of [
    ['readOnlyRootFilesystem', 'readOnlyRootFileSystem'],
    ['containerPort: 8080', 'containerPort: "http"'],
  ] as const) {
    broken++
    for (const { version } of supportedKubernetes) {
      const found = await findValidationProblems(tools, version, text.replaceAll(from, to))
      if (found.length === 0) problems.push(`kubeconform does not notice ${to} in Kubernetes ${version}.`)
    }
  }
  return { problems, broken }
}

try {
  const tools = await getTools()
  const rules = await checkRules(tools)
  const problems = [...rules.problems, ...(await checkRefusedValues(tools))]
  for (const valuesFile of valuesFiles) problems.push(...(await checkValues(tools, valuesFile)))
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
}
