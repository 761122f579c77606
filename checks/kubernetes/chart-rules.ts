/**
 * What the rendered chart must guarantee. Each rule has examples of broken charts: `checks/helm.ts` breaks the manifests
 * and expects the rule to report it, so that a rule that finds nothing any more is noticed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import {
  loadApiConfig,
  loadBackupScheduleConfig,
  loadMigrateConfig,
  loadRunnerConfig,
  loadWorkerConfig,
} from '../../server/src/platform/config.ts'
import { generateSealingKeyPair } from '../../server/src/platform/sealed-secrets/sealing-keys.ts'
import {
  type Container,
  listPods,
  type Manifest,
  type NetworkPeer,
  type NetworkRule,
  type Pod,
  type PodSpec,
  selects,
} from './manifests.ts'

export interface ChartRule {
  title: string
  findProblems: (manifests: readonly Manifest[]) => string[]
  /** Each changes correct manifests, which `ci/everything.yaml` renders, so that the rule finds a problem. */
  breaks: Readonly<Record<string, (manifests: Manifest[]) => void>>
}

/** Applies a list of conditions to each pod, and names those that do not hold. */
const forEachPod =
  (conditions: Readonly<Record<string, (pod: Pod) => boolean>>, isSubject: (pod: Pod) => boolean = () => true) =>
  (manifests: readonly Manifest[]): string[] =>
    listPods(manifests)
      .filter(isSubject)
      .flatMap((pod) =>
        Object.entries(conditions).flatMap(([name, holds]) => (holds(pod) ? [] : [`${pod.title}: not ${name}`])),
      )

/** Changes the pods of one component. */
const changePod =
  (component: string, change: (spec: PodSpec, container: Container) => void) =>
  (manifests: Manifest[]): void => {
    const pods = listPods(manifests).filter((pod) => pod.component === component)
    if (pods.length === 0) throw new Error(`There is no pod of ${component} to break.`)
    for (const { spec, container } of pods) change(spec, container)
  }

const changeManifest =
  (kind: string, name: string, change: (manifest: Manifest) => void) =>
  (manifests: Manifest[]): void => {
    const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)
    if (!found) throw new Error(`There is no ${kind} ${name} to break.`)
    change(found)
  }

const remove =
  (kind: string, name: string) =>
  (manifests: Manifest[]): void => {
    changeManifest(kind, name, (found) => manifests.splice(manifests.indexOf(found), 1))(manifests)
  }

const addEnvironment = (container: Container, name: string, value: string) => container.env?.push({ name, value })

const hardening: ChartRule = {
  title: 'every pod is unprivileged',
  findProblems: forEachPod({
    'non-root with UID and GID 1000': ({ spec, container }) =>
      spec.securityContext?.runAsNonRoot === true &&
      spec.securityContext.runAsUser === 1000 &&
      spec.securityContext.runAsGroup === 1000 &&
      container.securityContext?.runAsUser === undefined,
    'without an API token': ({ spec }) => spec.automountServiceAccountToken === false,
    'outside of the namespaces of the node': ({ spec }) => !(spec.hostNetwork || spec.hostPID || spec.hostIPC),
    'without files of the node': ({ spec }) => !spec.volumes?.some(({ hostPath }) => hostPath),
    'without privilege escalation': ({ container: { securityContext } }) =>
      securityContext?.allowPrivilegeEscalation === false && !securityContext.privileged,
    'without capabilities': ({ container }) => {
      const { drop = [], add = [] } = container.securityContext?.capabilities ?? {}
      return drop.includes('ALL') && add.length === 0
    },
    'read-only except for /tmp': ({ spec, container }) => {
      const writable = container.volumeMounts?.filter(({ readOnly }) => !readOnly) ?? []
      const tmp = spec.volumes?.find(({ name }) => name === writable[0]?.name)
      return (
        container.securityContext?.readOnlyRootFilesystem === true &&
        writable.length === 1 &&
        writable[0]?.mountPath === '/tmp' &&
        tmp?.emptyDir?.sizeLimit !== undefined
      )
    },
    'limited in memory': ({ container }) =>
      container.resources?.limits?.memory !== undefined && container.resources.requests?.cpu !== undefined,
    // A Service named colophon-api would otherwise become the variable COLOPHON_API_PORT, an unknown setting.
    'without variables of Services': ({ spec }) => spec.enableServiceLinks === false,
  }),
  breaks: {
    'a root user': changePod('api', ({ securityContext }) => Object.assign(securityContext ?? {}, { runAsUser: 0 })),
    'a root container': changePod('worker', (_, container) =>
      Object.assign(container.securityContext ?? {}, { runAsUser: 0 }),
    ),
    'an API token': changePod('migrate', (spec) => Object.assign(spec, { automountServiceAccountToken: true })),
    'the network of the node': changePod('runner', (spec) => Object.assign(spec, { hostNetwork: true })),
    'a directory of the node': changePod('runner', (spec) =>
      spec.volumes?.push({ name: 'host', hostPath: { path: '/var' } }),
    ),
    'privilege escalation': changePod('test', (_, { securityContext }) =>
      Object.assign(securityContext ?? {}, { allowPrivilegeEscalation: true }),
    ),
    'a capability': changePod('runner', (_, { securityContext }) =>
      Object.assign(securityContext?.capabilities ?? {}, { add: ['SYS_ADMIN'] }),
    ),
    'a writable file system': changePod('api', (_, { securityContext }) =>
      Object.assign(securityContext ?? {}, { readOnlyRootFilesystem: false }),
    ),
    'a writable volume': changePod('worker', (_, { volumeMounts }) =>
      volumeMounts?.push({ name: 'tmp', mountPath: '/data' }),
    ),
    'no memory limit': changePod('runner', (_, container) => Object.assign(container, { resources: {} })),
    'service links': changePod('api', (spec) => Object.assign(spec, { enableServiceLinks: true })),
  },
}

const seccomp: ChartRule = {
  title: 'only runners relax the isolation of the container runtime',
  findProblems: forEachPod(
    {
      'with the default seccomp profile': ({ spec, container }) =>
        spec.securityContext?.seccompProfile?.type === 'RuntimeDefault' && !container.securityContext?.seccompProfile,
      'with the default AppArmor profile': ({ spec }) => !spec.securityContext?.appArmorProfile,
      'with a masked /proc': ({ container }) => !container.securityContext?.procMount,
    },
    ({ component }) => component !== 'runner',
  ),
  breaks: {
    'an unconfined worker': changePod('worker', ({ securityContext }) =>
      Object.assign(securityContext ?? {}, { seccompProfile: { type: 'Unconfined' } }),
    ),
    'api without AppArmor': changePod('api', ({ securityContext }) =>
      Object.assign(securityContext ?? {}, { appArmorProfile: { type: 'Unconfined' } }),
    ),
    'an unmasked api': changePod('api', (_, { securityContext }) =>
      Object.assign(securityContext ?? {}, { procMount: 'Unmasked' }),
    ),
  },
}

const runnerNamespace: ChartRule = {
  title: 'a runner has a user namespace, and can mount /proc',
  findProblems: forEachPod(
    {
      'in a user namespace': ({ spec }) => spec.hostUsers === false,
      'with an unmasked /proc': ({ container }) => container.securityContext?.procMount === 'Unmasked',
    },
    ({ component }) => component === 'runner',
  ),
  breaks: {
    'the users of the node': changePod('runner', (spec) => Object.assign(spec, { hostUsers: true })),
    'a masked /proc': changePod('runner', (_, { securityContext }) =>
      Object.assign(securityContext ?? {}, { procMount: 'Default' }),
    ),
  },
}

/** The settings that each component reads from a Secret. `gateway-tls` and `gateway-ca` are files of another kind. */
const secretSettings: Readonly<Record<string, readonly string[]>> = {
  api: [
    'DATABASE_URL',
    'CLICKHOUSE_URL',
    'TEMPORAL_API_KEY',
    'SESSION_SECRET',
    'SEALING_PUBLIC_KEYS',
    'SMTP_URL',
    'OIDC_CLIENT_SECRET',
    'EGRESS_PROXY_URL',
    'TRACES_HEADERS',
  ],
  worker: [
    'DATABASE_URL',
    'CLICKHOUSE_URL',
    'TEMPORAL_API_KEY',
    'SEALING_PRIVATE_KEYS',
    'EGRESS_PROXY_URL',
    'TRACES_HEADERS',
    'GATEWAY_TLS_CERT',
    'GATEWAY_TLS_KEY',
  ],
  migrate: ['DATABASE_URL', 'CLICKHOUSE_URL', 'TEMPORAL_API_KEY'],
  backup: ['DATABASE_URL', 'CLICKHOUSE_URL', 'TEMPORAL_API_KEY', 'BACKUP_S3_SECRET_ACCESS_KEY'],
  runner: ['RUNNER_TOKEN', 'GATEWAY_CA_BUNDLE'],
  test: [],
}

/** `backup` reads all tables. */
const ownsTables = (component: string) => component === 'migrate' || component === 'backup'

const directoryOf = (path: string) => path.slice(0, path.lastIndexOf('/'))

/** Files of Secrets in a pod: path → the key that it comes from. A volume without `items` would contain every key. */
function listSecretFiles({ spec, container, title }: Pod): Map<string, string> {
  const files = new Map<string, string>()
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const volume = spec.volumes?.find((candidate) => candidate.name === name)
    const sources = [
      ...(volume?.projected?.sources.map(({ secret }) => ({ secret: secret?.name ?? '', items: secret?.items })) ?? []),
      ...(volume?.secret ? [{ secret: volume.secret.secretName, items: volume.secret.items }] : []),
    ]
    for (const { secret, items } of sources) {
      if (!items) throw new Error(`${title} mounts all keys of the Secret ${secret}.`)
      for (const { key, path } of items) files.set(`${mountPath}/${path}`, `${secret}/${key}`)
    }
  }
  return files
}

const secrets: ChartRule = {
  title: 'a process gets its own secrets, as files, and no others',
  findProblems: (manifests) => {
    const pods = listPods(manifests)
    const privateKey = pods
      .filter(({ component }) => component === 'worker')
      .flatMap((pod) => [...listSecretFiles(pod)])
      .find(([path]) => path.endsWith('/sealing-private-keys'))?.[1]
    const ownersUrl = pods
      .filter(({ component }) => component === 'migrate')
      .flatMap((pod) => [...listSecretFiles(pod)])
      .find(([path]) => path.endsWith('/database-url'))?.[1]
    return pods.flatMap((pod) => {
      const { title, component, container } = pod
      const env = container.env ?? []
      const files = listSecretFiles(pod)
      const allowed = secretSettings[component] ?? []
      const fileSettings = env.filter(({ value }) => value !== undefined && files.has(value))
      const fileNames = fileSettings.map(({ name }) => name.replace(/^COLOPHON_(.*)_FILE$/, '$1'))
      const envSettings = env.filter(({ valueFrom }) => valueFrom?.secretKeyRef)
      const keys = [
        ...files.values(),
        ...envSettings.map(({ valueFrom }) => `${valueFrom?.secretKeyRef?.name}/${valueFrom?.secretKeyRef?.key}`),
      ]
      const unused = [...files.keys()].filter((path) => !fileSettings.some(({ value }) => value === path))
      const missing = env.filter(
        ({ name, value = '' }) =>
          name.endsWith('_FILE') && directoryOf(value) !== '/run/colophon/ca' && !files.has(value),
      )
      return [
        ...fileNames.filter((name) => !allowed.includes(name)).map((name) => `${title} has ${name}`),
        ...unused.map((path) => `${title} has ${path}, which no setting names`),
        ...missing.map(({ name }) => `${title}: the file of ${name} does not exist`),
        ...envSettings
          .filter(({ name }) => name !== 'COLOPHON_SEALING_PUBLIC_KEYS' || component !== 'api')
          .map(({ name }) => `${title} has the secret ${name} in its environment`),
        ...(component !== 'worker' && privateKey && keys.includes(privateKey)
          ? [`${title} has the key ${privateKey}, which is the private sealing key`]
          : []),
        ...(!ownsTables(component) && ownersUrl && keys.includes(ownersUrl)
          ? [`${title} has the key ${ownersUrl}, with which it would own the tables`]
          : []),
      ]
    })
  },
  breaks: {
    'api with the private key under its own name': changePod('api', (spec, { env }) => {
      addSecretFile(spec, 'colophon-worker', 'sealing-private-keys', 'sealing-private-keys')
      env?.push({
        name: 'COLOPHON_SEALING_PRIVATE_KEYS_FILE',
        value: '/run/colophon/secrets/sealing-private-keys',
      })
    }),
    'api with the private key in a file that no setting names': changePod('api', (spec) =>
      addSecretFile(spec, 'colophon-worker', 'sealing-private-keys', 'other'),
    ),
    'api with the private key under another name': changePod('api', (_, { env }) => {
      const publicKeys = env?.find(({ name }) => name === 'COLOPHON_SEALING_PUBLIC_KEYS')
      Object.assign(publicKeys ?? {}, {
        valueFrom: { secretKeyRef: { name: 'colophon-worker', key: 'sealing-private-keys' } },
      })
    }),
    'a runner with the database': changePod('runner', (spec, { env }) => {
      addSecretFile(spec, 'colophon-databases', 'database-url', 'database-url')
      env?.push({ name: 'COLOPHON_DATABASE_URL_FILE', value: '/run/colophon/secrets/database-url' })
    }),
    'api as the owner of the tables': changePod('api', (spec) => {
      const items = spec.volumes
        ?.flatMap(({ projected }) => projected?.sources ?? [])
        .flatMap(({ secret }) => secret?.items)
      const item = items?.find((candidate) => candidate?.path === 'api-database-url')
      Object.assign(item ?? {}, { key: 'postgres' }) // as for migrate in ci/everything.yaml
    }),
    'a secret in the environment': changePod('worker', (_, { env }) =>
      env?.push({
        name: 'COLOPHON_SMTP_URL',
        valueFrom: { secretKeyRef: { name: 'mail', key: 'smtp-url' } },
      }),
    ),
    'a setting for a file that is not mounted': changePod('migrate', (_, container) =>
      addEnvironment(container, 'COLOPHON_SMTP_URL_FILE', '/run/colophon/secrets/smtp-url'),
    ),
  },
}

function addSecretFile(spec: PodSpec, name: string, key: string, path: string): void {
  const volume = spec.volumes?.find(({ projected }) => projected)
  volume?.projected?.sources.push({ secret: { name, items: [{ key, path }] } })
}

const loaders = {
  api: loadApiConfig,
  worker: loadWorkerConfig,
  migrate: loadMigrateConfig,
  backup: loadBackupScheduleConfig,
  runner: loadRunnerConfig,
} as const

/** Loads the settings of each pod with the code of the server, with example secrets in the files. */
const settings: ChartRule = {
  title: 'the server accepts the settings',
  findProblems: (manifests) => {
    const directory = mkdtempSync(join(tmpdir(), 'colophon-chart-'))
    try {
      return listPods(manifests).flatMap(({ title, component, container }) => {
        const load = loaders[component as keyof typeof loaders]
        if (!load) return []
        const env = Object.fromEntries(
          (container.env ?? []).map(({ name, value, valueFrom }) => {
            if (valueFrom) return [name, exampleSecrets[name]]
            if (!name.endsWith('_FILE') || name.includes('_TLS_')) return [name, value]
            const file = join(directory, `${component}-${basename(value ?? '')}`)
            writeFileSync(file, exampleSecrets[name.replace(/_FILE$/, '')] ?? 'example')
            return [name, file]
          }),
        )
        try {
          load(env)
          return []
        } catch (error) {
          return [`${title}: ${(error as Error).message}`]
        }
      })
    } finally {
      rmSync(directory, { recursive: true })
    }
  },
  breaks: {
    'an unknown setting': changePod('worker', (_, container) => addEnvironment(container, 'COLOPHON_LOGLEVEL', 'info')),
    'a missing setting': changePod('api', (_, container) =>
      Object.assign(container, { env: container.env?.filter(({ name }) => name !== 'COLOPHON_SESSION_SECRET_FILE') }),
    ),
    'a wrong value': changePod('runner', (_, container) =>
      Object.assign(container.env?.find(({ name }) => name === 'COLOPHON_RUNNER_LISTEN') ?? {}, { value: 'here' }),
    ),
  },
}

const sealingKeys = generateSealingKeyPair()
const exampleSecrets: Readonly<Record<string, string>> = {
  COLOPHON_DATABASE_URL: 'postgres://user:password@postgres/colophon',
  COLOPHON_CLICKHOUSE_URL: 'http://user:password@clickhouse:8123/colophon',
  COLOPHON_EGRESS_PROXY_URL: 'http://proxy:3128',
  COLOPHON_SEALING_PRIVATE_KEYS: sealingKeys.privateEntry,
  COLOPHON_SEALING_PUBLIC_KEYS: sealingKeys.publicEntry,
  COLOPHON_SESSION_SECRET: 'an example that is longer than 32 characters',
  COLOPHON_SMTP_URL: 'smtps://mail.example.com',
  COLOPHON_TRACES_HEADERS: 'authorization=Bearer example',
}

const policiesOf = (manifests: readonly Manifest[], pod: Pod) =>
  manifests.filter(({ kind, spec }) => kind === 'NetworkPolicy' && selects(spec.podSelector ?? {}, pod.labels))

/** Policies add up: a pod may do what any of its policies allows. */
const rulesOf = (manifests: readonly Manifest[], pod: Pod, direction: 'ingress' | 'egress'): NetworkRule[] =>
  policiesOf(manifests, pod).flatMap(({ spec }) => spec[direction] ?? [])

const portsOf = ({ ports = [] }: NetworkRule) => ports.map(({ port, protocol }) => `${protocol} ${port}`).join(', ')

const isPodOf = (component: string, { podSelector, ipBlock }: NetworkPeer) =>
  !ipBlock && podSelector?.matchLabels?.['app.kubernetes.io/component'] === component

const network: ChartRule = {
  title: 'the network denies what a process does not need',
  findProblems: (manifests) =>
    listPods(manifests).flatMap((pod) => {
      const { title, component } = pod
      const ingress = rulesOf(manifests, pod, 'ingress')
      const egress = rulesOf(manifests, pod, 'egress')
      const isDenied = policiesOf(manifests, pod).some(
        ({ spec }) =>
          ['Ingress', 'Egress'].every((type) => spec.policyTypes?.includes(type)) && !spec.ingress && !spec.egress,
      )
      // An empty list of peers, or none, means everywhere.
      const isOpen = [...ingress.map(({ from }) => from), ...egress.map(({ to }) => to)].some((peers) => !peers?.length)
      return [
        ...(isDenied ? [] : [`${title}: no policy denies everything else`]),
        ...(isOpen ? [`${title}: a rule without peers allows all of them`] : []),
        ...findIngressProblems(pod, ingress),
        ...(component === 'runner' ? findRunnerEgressProblems(title, egress) : []),
        ...(component !== 'runner' && egress.length === 0 ? [`${title}: it can reach nothing`] : []),
      ]
    }),
  breaks: {
    'no default': remove('NetworkPolicy', 'colophon-deny'),
    'a default for api only': changeManifest('NetworkPolicy', 'colophon-deny', ({ spec }) =>
      Object.assign(spec.podSelector?.matchLabels ?? {}, { 'app.kubernetes.io/component': 'api' }),
    ),
    'a runner that reaches the internet': changeManifest('NetworkPolicy', 'colophon-runner', ({ spec }) =>
      spec.egress?.push({ to: [{ ipBlock: { cidr: '0.0.0.0/0' } }], ports: [{ port: 443, protocol: 'TCP' }] }),
    ),
    'a runner that reaches all ports of DNS servers': changeManifest('NetworkPolicy', 'colophon-runner', ({ spec }) =>
      Object.assign(spec.egress?.[1] ?? {}, { ports: undefined }),
    ),
    'a runner that reaches api': changeManifest('NetworkPolicy', 'colophon-runner', ({ spec }) =>
      spec.egress?.[0]?.to?.push({ podSelector: { matchLabels: { 'app.kubernetes.io/component': 'api' } } }),
    ),
    'a runner that reaches DNS everywhere': changeManifest('NetworkPolicy', 'colophon-runner', ({ spec }) =>
      Object.assign(spec.egress?.[1] ?? {}, { to: [] }),
    ),
    'a runner with the policy of the server': changeManifest('NetworkPolicy', 'colophon-server', ({ spec }) =>
      spec.podSelector?.matchExpressions?.[0]?.values?.push('runner'),
    ),
    'a runner without the gateway': changeManifest('NetworkPolicy', 'colophon-runner', ({ spec }) =>
      spec.egress?.shift(),
    ),
    'a gateway for everyone': changeManifest('NetworkPolicy', 'colophon-worker', ({ spec }) =>
      Object.assign(spec.ingress?.[0] ?? {}, { from: [] }),
    ),
    'a gateway for api': changeManifest('NetworkPolicy', 'colophon-worker', ({ spec }) =>
      spec.ingress?.[0]?.from?.push({ podSelector: { matchLabels: { 'app.kubernetes.io/component': 'api' } } }),
    ),
    'metrics for api': changeManifest('NetworkPolicy', 'colophon-metrics', ({ spec }) =>
      spec.ingress?.[0]?.from?.push({ podSelector: { matchLabels: { 'app.kubernetes.io/component': 'api' } } }),
    ),
    'more than metrics of a runner': changeManifest('NetworkPolicy', 'colophon-metrics', ({ spec }) =>
      spec.ingress?.[0]?.ports?.push({ port: 8070, protocol: 'TCP' }),
    ),
    'another port of api': changeManifest('NetworkPolicy', 'colophon-api', ({ spec }) =>
      spec.ingress?.[0]?.ports?.push({ port: 9229, protocol: 'TCP' }),
    ),
  },
}

const listeningPorts: Readonly<Record<string, string>> = { api: 'TCP 8080', worker: 'TCP 8090' }

/** Only peers outside of the release scrape metrics: no process of it needs those of another. */
const isForMetrics = ({ container }: Pod, rule: NetworkRule) => {
  const port = container.ports?.find(({ name }) => name === 'metrics')?.containerPort
  const areOutside = rule.from?.every(({ podSelector, namespaceSelector }) => namespaceSelector || !podSelector)
  return port !== undefined && areOutside && portsOf(rule) === `TCP ${port}`
}

function findIngressProblems(pod: Pod, allRules: readonly NetworkRule[]): string[] {
  const { title, component } = pod
  const rules = allRules.filter((rule) => !isForMetrics(pod, rule))
  const port = listeningPorts[component]
  if (!port) return rules.length > 0 ? [`${title}: something can connect to it`] : []
  const inner = component === 'worker' ? 'runner' : 'test'
  return [
    ...rules.filter((rule) => portsOf(rule) !== port).map((rule) => `${title}: open ports ${portsOf(rule)}`),
    ...rules
      .flatMap(({ from = [] }) => from)
      // Peers without a podSelector or with a namespaceSelector come from the values, for clients outside of the release.
      .filter((peer) => peer.podSelector && !peer.namespaceSelector && !isPodOf(inner, peer))
      .map((peer) => `${title}: ${JSON.stringify(peer)} can connect to it`),
  ]
}

function findRunnerEgressProblems(title: string, rules: readonly NetworkRule[]): string[] {
  const gateway = rules.filter((rule) => portsOf(rule) === 'TCP 8090')
  const dns = rules.filter((rule) => portsOf(rule) === 'UDP 53, TCP 53')
  return [
    ...rules
      .filter((rule) => !gateway.includes(rule) && !dns.includes(rule))
      .map((rule) => `${title}: can reach ${JSON.stringify(rule)}`),
    ...gateway
      .flatMap(({ to = [] }) => to)
      .filter((peer) => !isPodOf('worker', peer))
      .map((peer) => `${title}: can reach ${JSON.stringify(peer)}`),
    ...(gateway.length === 1 && dns.length === 1 ? [] : [`${title}: cannot reach the gateway and DNS`]),
  ]
}

const objects: ChartRule = {
  title: 'the objects fit together',
  findProblems: (manifests) => {
    const pods = listPods(manifests)
    const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind)
    const created = ['Secret', 'ConfigMap', 'ServiceAccount', 'Role', 'ClusterRole'].flatMap(ofKind)
    const deployments = ofKind('Deployment')
    const services = ofKind('Service')
    return [
      // The migrate hook runs before they would exist.
      ...created.map(({ kind, metadata }) => `${kind} ${metadata.name}: the chart creates no such object`),
      ...deployments.flatMap(({ metadata, spec }) => {
        const labels = spec.template?.metadata.labels ?? {}
        const scaler = ofKind('HorizontalPodAutoscaler').some(
          (candidate) => candidate.spec.scaleTargetRef?.name === metadata.name,
        )
        const isReplicated = spec.strategy?.type !== 'Recreate'
        const env = spec.template?.spec.containers[0]?.env ?? []
        const seconds = (name: string) => Number(env.find((variable) => variable.name === name)?.value ?? 0)
        const minGraceSeconds =
          seconds('COLOPHON_SHUTDOWN_DELAY_SECONDS') + seconds('COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS') + 65
        return [
          ...(selects(spec.selector ?? {}, labels) ? [] : ['does not select its own pods']),
          ...(!isReplicated ||
          ofKind('PodDisruptionBudget').some(({ spec: { selector } }) => selects(selector ?? {}, labels))
            ? []
            : ['has no PodDisruptionBudget']),
          ...(scaler === (spec.replicas !== undefined) ? ['has two owners of its replicas, or none'] : []),
          ...((spec.template?.spec.terminationGracePeriodSeconds ?? 0) < minGraceSeconds
            ? [`needs ${minGraceSeconds} s to stop`]
            : []),
          ...(!isReplicated ||
          spec.template?.spec.topologySpreadConstraints?.every(
            ({ whenUnsatisfiable, labelSelector }) =>
              whenUnsatisfiable === 'ScheduleAnyway' && selects(labelSelector ?? {}, labels),
          )
            ? []
            : ['is not spread over nodes']),
        ].map((problem) => `Deployment ${metadata.name} ${problem}`)
      }),
      ...services.flatMap(({ metadata, spec }) => {
        const targets = pods.filter(({ labels }) => selects({ matchLabels: spec.selector ?? {} }, labels))
        const port = spec.ports?.[0]
        return targets.length === 1 && targets[0]?.container.ports?.some(({ name }) => name === port?.targetPort)
          ? []
          : [`Service ${metadata.name} has no target`]
      }),
      ...ofKind('Ingress')
        .flatMap(({ spec }) => spec.rules ?? [])
        .flatMap(({ http }) => http.paths)
        .filter(({ backend }) => !services.some(({ metadata }) => metadata.name === backend.service.name))
        .map(({ backend }) => `The Ingress refers to ${backend.service.name}, which does not exist`),
      ...ofKind('HorizontalPodAutoscaler')
        .filter(({ spec }) => !deployments.some(({ metadata }) => metadata.name === spec.scaleTargetRef?.name))
        .map(({ metadata }) => `HorizontalPodAutoscaler ${metadata.name} has no target`),
    ]
  },
  breaks: {
    'a ServiceAccount': (manifests) =>
      manifests.push({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'colophon' }, spec: {} }),
    'no budget': remove('PodDisruptionBudget', 'colophon-worker'),
    'replicas and an autoscaler': changeManifest('Deployment', 'colophon-api', ({ spec }) =>
      Object.assign(spec, { replicas: 2 }),
    ),
    'an autoscaler without a target': changeManifest('HorizontalPodAutoscaler', 'colophon-runner', ({ spec }) =>
      Object.assign(spec.scaleTargetRef ?? {}, { name: 'runner' }),
    ),
    'too little time to stop': changePod('runner', (spec) =>
      Object.assign(spec, { terminationGracePeriodSeconds: 90 }),
    ),
    'a Service without pods': changeManifest('Service', 'colophon-api', ({ spec }) =>
      Object.assign(spec.selector ?? {}, { 'app.kubernetes.io/component': 'web' }),
    ),
    'an Ingress without a Service': remove('Service', 'colophon-api'),
    'a hard constraint': changePod('api', (spec) =>
      Object.assign(spec.topologySpreadConstraints?.[0] ?? {}, { whenUnsatisfiable: 'DoNotSchedule' }),
    ),
  },
}

export const chartRules: readonly ChartRule[] = [
  hardening,
  seccomp,
  runnerNamespace,
  secrets,
  settings,
  network,
  objects,
]
