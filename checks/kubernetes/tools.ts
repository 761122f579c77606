/** The programs that check the Helm chart, from the PATH or built once, and the source of Kubernetes. */
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getOrFillCacheDirectory } from '../../testing/services/cache.ts'
import { findBinary } from '../../testing/services/find-binary.ts'
import { buildGoModule, type GoModule } from '../../testing/services/go-build.ts'

const helm: GoModule = {
  title: 'Helm',
  path: 'helm.sh/helm/v3',
  version: 'v3.22.0',
  sum: 'h1:n1if5iQgHYsujPAcO5oonH/KiSNUmqmUF0iGVjSF3AU=',
  commands: { helm: './cmd/helm' },
  expectedSeconds: 150,
}

const kubeconform: GoModule = {
  title: 'kubeconform',
  path: 'github.com/yannh/kubeconform',
  version: 'v0.8.0',
  sum: 'h1:loDYd3a3spjIFrauqW67CDKF55Oo9R6uvC8AvpVd4ug=',
  commands: { kubeconform: './cmd/kubeconform' },
  expectedSeconds: 30,
}

export interface KubernetesModule {
  path: string
  version: string
  sum: string
}

const path = 'k8s.io/kubernetes'

/** The Kubernetes releases that the chart supports: the newest three minor ones, newest first. */
export const supportedKubernetes = [
  { path, version: 'v1.36.3', sum: 'h1:qDQdoMiluAE2Eab6Fa52YV+WjiGz9mZFFoagEA6cI+o=' },
  { path, version: 'v1.35.4', sum: 'h1:o/8dBC/pHVpYoGV4OAIytAlNPZbdYVTXJHoYvXC4qzM=' },
  { path, version: 'v1.34.4', sum: 'h1:Yy6R4QB8C9kJPp25GFqEvX5XQwY5qzKeqD0Xx6oAcmk=' },
] as const satisfies readonly KubernetesModule[]

const [newestKubernetes] = supportedKubernetes

const apiServer: GoModule = {
  ...newestKubernetes,
  title: 'the Kubernetes API server and etcd',
  // etcd is a dependency of the API server's tests, so Kubernetes has its version and its checksums.
  commands: { 'kube-apiserver': './cmd/kube-apiserver', etcd: 'go.etcd.io/etcd/server/v3' },
  variables: [`k8s.io/component-base/version.gitVersion=${newestKubernetes.version}`], // which Helm compares with the chart's
  expectedSeconds: 360,
  prepareSource: requirePublishedModules,
}

/**
 * Kubernetes takes its libraries from directories that are not part of the published module. They are published as modules
 * of their own; kubernetes.sum has their checksums, so that Go refuses a library that was changed.
 */
async function requirePublishedModules(source: string): Promise<void> {
  const libraryVersion = newestKubernetes.version.replace('v1.', 'v0.')
  const manifest = join(source, 'go.mod')
  const text = await readFile(manifest, 'utf8')
  await writeFile(
    manifest,
    text.replace(/^replace \([^)]*\)$/m, '').replaceAll(/^(\tk8s\.io\/[a-z-]+) v0\.0\.0$/gm, `$1 ${libraryVersion}`),
  )
  await rm(join(source, 'vendor'), { recursive: true, force: true }) // without code, but Go would read its list of modules
  await appendFile(join(source, 'go.sum'), await readFile(join(import.meta.dirname, 'kubernetes.sum')))
}

/** Returns the directory of the built commands. */
async function build(name: string, module: GoModule): Promise<string> {
  const directory = await getOrFillCacheDirectory(name, module.version, async (partDirectory) => {
    await buildGoModule(module, partDirectory)
    await rm(join(partDirectory, 'source'), { recursive: true }) // of Kubernetes 115 MB, which nothing needs any more
  })
  return join(directory, 'bin')
}

export const getHelm = async (): Promise<string> => findBinary('helm') ?? join(await build('helm', helm), 'helm')

export const getKubeconform = async (): Promise<string> =>
  findBinary('kubeconform') ?? join(await build('kubeconform', kubeconform), 'kubeconform')

export interface ApiServerBinaries {
  apiServer: string
  etcd: string
}

/** Not from the PATH: the check depends on the version. */
export async function getApiServerBinaries(): Promise<ApiServerBinaries> {
  const directory = await build('kube-apiserver', apiServer)
  return { apiServer: join(directory, 'kube-apiserver'), etcd: join(directory, 'etcd') }
}
