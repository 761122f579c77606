/**
 * npm run check:helm-api-server: installs, upgrades and uninstalls the Helm chart on a real Kubernetes API server, and
 * checks which Pod Security levels accept its pods. Without nodes and controllers, no pod runs.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from '../testing/services/run-command.ts'
import { type RunningApiServer, startApiServer } from './kubernetes/api-server.ts'
import {
  chartDirectory,
  listPods,
  type Manifest,
  type Pod,
  parseManifests,
  renderChart,
} from './kubernetes/manifests.ts'
import { getApiServerBinaries, getHelm, supportedKubernetes } from './kubernetes/tools.ts'

const [{ version: kubernetesVersion }] = supportedKubernetes
const levels = ['restricted', 'baseline', 'privileged'] as const
type Level = (typeof levels)[number]

interface ValuesCase {
  /** Of a file in deploy/helm/ci. */
  values: string
  /** As for Helm's option `--set-json`. */
  set?: readonly string[]
  /** The strictest Pod Security level that accepts all pods. The chart's README says the same. */
  strictest: Level
}

const cases: readonly ValuesCase[] = [
  { values: 'server-only', strictest: 'restricted' },
  { values: 'runners-only', strictest: 'privileged' },
  { values: 'runners-baseline', strictest: 'baseline' },
  { values: 'runners-baseline', set: ['runner.appArmorProfile={"type":"RuntimeDefault"}'], strictest: 'baseline' },
  { values: 'runners-baseline', set: ['runner.appArmorProfile={"type":"Unconfined"}'], strictest: 'privileged' },
  { values: 'runners-baseline', set: ['runner.seccompProfile={"type":"Unconfined"}'], strictest: 'privileged' },
  { values: 'minimal', strictest: 'privileged' },
  { values: 'everything', strictest: 'privileged' },
]

const resourcePaths: Readonly<Record<string, { api: string; plural: string }>> = {
  Deployment: { api: '/apis/apps/v1', plural: 'deployments' },
  HorizontalPodAutoscaler: { api: '/apis/autoscaling/v2', plural: 'horizontalpodautoscalers' },
  Ingress: { api: '/apis/networking.k8s.io/v1', plural: 'ingresses' },
  Job: { api: '/apis/batch/v1', plural: 'jobs' },
  NetworkPolicy: { api: '/apis/networking.k8s.io/v1', plural: 'networkpolicies' },
  Pod: { api: '/api/v1', plural: 'pods' },
  PodDisruptionBudget: { api: '/apis/policy/v1', plural: 'poddisruptionbudgets' },
  Service: { api: '/api/v1', plural: 'services' },
}

function pathOf(kind: string, namespace: string): string {
  const resource = resourcePaths[kind]
  if (!resource) throw new Error(`The check does not know the kind ${kind}.`)
  return `${resource.api}/namespaces/${namespace}/${resource.plural}`
}

const valuesFileOf = (name: string) => join(chartDirectory, `ci/${name}.yaml`)

const problems: string[] = []
const expect = (condition: boolean, problem: string) => {
  if (!condition) problems.push(problem)
}

async function createNamespaces({ call }: RunningApiServer): Promise<void> {
  for (const level of levels) {
    const labels = { 'pod-security.kubernetes.io/enforce': level }
    await call('POST', '/api/v1/namespaces', { metadata: { name: level, labels } })
  }
  const priorityClass = { metadata: { name: 'high' }, value: 1000 } // of everything.yaml
  await call('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', priorityClass)
}

/** Strict: an unknown or duplicate field is an error. Nothing is stored. */
const dryRun = 'dryRun=All&fieldValidation=Strict'

async function checkObjects({ call }: RunningApiServer, name: string, manifests: readonly Manifest[]): Promise<number> {
  for (const manifest of manifests) {
    const { status, body, warnings } = await call('POST', `${pathOf(manifest.kind, 'privileged')}?${dryRun}`, manifest)
    const title = `${name}: ${manifest.kind} ${manifest.metadata.name}`
    expect(status === 201, `${title} is refused: ${body.message}`)
    expect(warnings.length === 0, `${title}: ${warnings.join(', ')}`)
  }
  return manifests.length
}

interface Refusal {
  component: string
  message: string
}

async function findRefusals({ call }: RunningApiServer, level: Level, pods: readonly Pod[]): Promise<Refusal[]> {
  const refusals: Refusal[] = []
  for (const { component, labels, spec } of pods) {
    const pod = { metadata: { name: 'check', labels }, spec }
    const { status, body } = await call('POST', `${pathOf('Pod', level)}?${dryRun}`, pod)
    if (status === 403) refusals.push({ component, message: body.message ?? '' })
    else expect(status === 201, `${component}: ${body.message}`)
  }
  return refusals
}

async function checkLevels(
  server: RunningApiServer,
  { values, set = [], strictest }: ValuesCase,
  pods: readonly Pod[],
): Promise<void> {
  const name = [values, ...set].join(', ')
  for (const level of levels) {
    const refusals = await findRefusals(server, level, pods)
    const shouldAccept = levels.indexOf(level) >= levels.indexOf(strictest)
    for (const { component, message } of refusals) {
      expect(!shouldAccept, `${name}: ${level} refuses ${component}: ${message}`)
      expect(component === 'runner', `${name}: ${level} refuses ${component}, not only runners: ${message}`)
      if (values.startsWith('runners-')) console.log(`${name}: ${message}`)
    }
    expect(shouldAccept || refusals.length > 0, `${name}: ${level} accepts all pods, which the chart's README denies`)
  }
}

/** The reason for `hostUsers: false`. If the server accepts the pod some day, the chart can do without. */
async function checkUserNamespaces({ call }: RunningApiServer, pods: readonly Pod[]): Promise<void> {
  const runner = pods.find(({ component }) => component === 'runner')
  const spec = { ...runner?.spec, hostUsers: true }
  const { status, body } = await call('POST', `${pathOf('Pod', 'privileged')}?${dryRun}`, {
    metadata: { name: 'check' },
    spec,
  })
  expect(status === 422, `A runner with the users of the node gets ${status}`)
  console.log(`A runner without hostUsers: false: ${body.message}`)
}

const listObjects = async ({ call }: RunningApiServer, kind: string): Promise<string[]> => {
  const { body } = await call('GET', pathOf(kind, 'privileged'))
  return (body as { items?: Manifest[] }).items?.map(({ metadata }) => metadata.name) ?? []
}

/** Does what the Job controller would do, so that Helm continues. Returns the Deployments that exist before it does. */
async function completeHook(server: RunningApiServer): Promise<string[]> {
  const path = `${pathOf('Job', 'privileged')}/colophon-migrate`
  const until = Date.now() + 60_000
  while (Date.now() < until) {
    const { status, body } = await server.call('GET', path)
    if (status === 200) {
      const deployments = await listObjects(server, 'Deployment')
      const now = new Date().toISOString()
      const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: now,
      }))
      const jobStatus = { conditions, startTime: now, completionTime: now, succeeded: 1 }
      const response = await server.call('PUT', `${path}/status`, { ...body, status: jobStatus })
      if (response.status !== 200) throw new Error(`The Job cannot be completed: ${response.body.message}`)
      return deployments
    }
    await sleep(100)
  }
  throw new Error('Helm did not create the Job colophon-migrate within a minute.')
}

async function checkRelease(helm: string, server: RunningApiServer): Promise<void> {
  const runHelm = (...args: string[]) =>
    runCommand([helm, ...args, '--namespace', 'privileged', '--kubeconfig', server.kubeconfig, '--timeout', '2m'])

  const install = ['install', 'colophon', chartDirectory, '--values', valuesFileOf('minimal')]
  const [notes, atInstall] = await Promise.all([runHelm(...install), completeHook(server)])
  expect(atInstall.length === 0, `Before migrate has run, there are ${atInstall.join(', ')}`)
  expect(notes.includes('grep welcome'), 'The notes do not say how to find the link of the first owner')
  expect((await listObjects(server, 'Deployment')).length === 3, 'The installation has not created three Deployments')
  expect((await listObjects(server, 'Job')).length === 0, 'The Job of the hook was not deleted')

  const upgrade = ['upgrade', 'colophon', chartDirectory, '--values', valuesFileOf('everything')]
  await Promise.all([runHelm(...upgrade), completeHook(server)])
  expect((await listObjects(server, 'Ingress')).length === 1, 'The upgrade has not created the Ingress')
  expect((await listObjects(server, 'HorizontalPodAutoscaler')).length === 2, 'The upgrade has not created the scalers')

  await runHelm('rollback', 'colophon', '1')
  expect((await listObjects(server, 'Ingress')).length === 0, 'The rollback has not removed the Ingress')

  await runHelm('uninstall', 'colophon')
  for (const kind of Object.keys(resourcePaths)) {
    const names = await listObjects(server, kind)
    expect(names.length === 0, `After uninstalling there is still a ${kind}: ${names.join(', ')}`)
  }
}

let server: RunningApiServer | undefined
try {
  const helm = await getHelm()
  server = await startApiServer(await getApiServerBinaries())
  await createNamespaces(server)
  let objects = 0
  for (const valuesCase of cases) {
    const { values, set = [] } = valuesCase
    const valuesFile = valuesFileOf(values)
    const text = await renderChart({ helm, valuesFile, set, kubernetesVersion, namespace: 'privileged' })
    const manifests = parseManifests(text)
    const pods = listPods(manifests)
    objects += await checkObjects(server, values, manifests)
    await checkLevels(server, valuesCase, pods)
    if (values === 'runners-only') await checkUserNamespaces(server, pods)
  }
  await checkRelease(helm, server)
  for (const problem of problems) console.error(problem)
  console.log(
    `${problems.length} problems: Kubernetes ${kubernetesVersion} validated ${objects} objects; the chart was installed, ` +
      'upgraded, rolled back and uninstalled.',
  )
  process.exitCode = problems.length === 0 ? 0 : 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  await server?.stop()
}
