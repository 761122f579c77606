/** Renders the Helm chart, and finds the pods in what it renders. */
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { runCommand } from '../../testing/services/run-command.ts'

export const chartDirectory = join(import.meta.dirname, '../../deploy/helm')

export interface Labels {
  [name: string]: string
}

export interface Selector {
  matchLabels?: Labels
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

export interface EnvironmentVariable {
  name: string
  value?: string
  valueFrom?: { secretKeyRef?: SecretKey }
}

export interface SecretKey {
  name: string
  key: string
}

interface Items {
  items?: { key: string; path: string }[]
}

export interface Volume {
  name: string
  emptyDir?: { sizeLimit?: string }
  secret?: Items & { secretName: string }
  configMap?: Items & { name: string }
  projected?: { sources: { secret?: Items & { name: string } }[] }
  hostPath?: unknown
}

export interface Container {
  name: string
  image: string
  args?: string[]
  ports?: { name: string; containerPort: number }[]
  env?: EnvironmentVariable[]
  resources?: { requests?: Labels; limits?: Labels }
  securityContext?: {
    allowPrivilegeEscalation?: boolean
    privileged?: boolean
    procMount?: string
    readOnlyRootFilesystem?: boolean
    runAsUser?: number
    capabilities?: { drop?: string[]; add?: string[] }
    seccompProfile?: { type: string }
  }
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[]
}

export interface PodSpec {
  automountServiceAccountToken?: boolean
  enableServiceLinks?: boolean
  hostUsers?: boolean
  hostNetwork?: boolean
  hostPID?: boolean
  hostIPC?: boolean
  terminationGracePeriodSeconds?: number
  topologySpreadConstraints?: { whenUnsatisfiable: string; labelSelector?: Selector }[]
  securityContext?: {
    runAsNonRoot?: boolean
    runAsUser?: number
    runAsGroup?: number
    fsGroup?: number
    seccompProfile?: { type: string }
    appArmorProfile?: { type: string }
  }
  containers: Container[]
  initContainers?: Container[]
  volumes?: Volume[]
}

export interface NetworkPeer {
  podSelector?: Selector
  namespaceSelector?: Selector
  ipBlock?: { cidr: string }
}

export interface NetworkRule {
  from?: NetworkPeer[]
  to?: NetworkPeer[]
  ports?: { port: number; protocol: string }[]
}

/** Only the fields that the checks read. kubeconform checks all of them. */
export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Labels; annotations?: Labels }
  spec: {
    replicas?: number
    strategy?: { type: string }
    selector?: Selector & Labels
    template?: { metadata: { labels: Labels }; spec: PodSpec }
    scaleTargetRef?: { kind: string; name: string }
    ports?: { port: number; targetPort: string }[]
    podSelector?: Selector
    policyTypes?: string[]
    ingress?: NetworkRule[]
    egress?: NetworkRule[]
    rules?: { http: { paths: { backend: { service: { name: string } } }[] } }[]
  }
}

export interface Pod {
  /** Kind and name of the object that creates the pod. */
  title: string
  component: string
  labels: Labels
  spec: PodSpec
  container: Container
}

export interface RenderOptions {
  helm: string
  valuesFile?: string
  /** As for Helm's option `--set-json`. */
  set?: readonly string[]
  kubernetesVersion: string
  namespace?: string
}

export async function renderChart(options: RenderOptions): Promise<string> {
  const { helm, valuesFile, set = [], kubernetesVersion, namespace = 'docs' } = options
  return runCommand(
    [
      helm,
      'template',
      'colophon',
      chartDirectory,
      '--namespace',
      namespace,
      '--kube-version',
      kubernetesVersion,
    ].concat(
      valuesFile ? ['--values', valuesFile] : [],
      set.flatMap((assignment) => ['--set-json', assignment]),
    ),
  )
}

export const parseManifests = (text: string): Manifest[] =>
  parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0]) throw document.errors[0]
    const manifest = document.toJS() as Manifest | null
    return manifest ? [manifest] : []
  })

export const listPods = (manifests: readonly Manifest[]): Pod[] =>
  manifests.flatMap((manifest) => {
    const template = podTemplateOf(manifest)
    if (!template) return []
    const { labels, spec } = template
    const [container] = spec.containers
    if (!container || spec.containers.length > 1 || spec.initContainers) {
      throw new Error(`${manifest.metadata.name}: the checks expect one container in a pod.`)
    }
    const component = labels['app.kubernetes.io/component'] ?? ''
    return [{ title: `${manifest.kind} ${manifest.metadata.name}`, component, labels, spec, container }]
  })

function podTemplateOf({ kind, metadata, spec }: Manifest): { labels: Labels; spec: PodSpec } | undefined {
  if (kind === 'Pod') return { labels: metadata.labels ?? {}, spec: spec as PodSpec }
  return spec.template && { labels: spec.template.metadata.labels, spec: spec.template.spec }
}

export function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`The checks do not know the operator ${operator}.`)
      return values.includes(labels[key] ?? '')
    })
  )
}
