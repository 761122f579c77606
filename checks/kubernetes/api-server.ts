/** A Kubernetes API server with etcd, on loopback: no nodes and no controllers, but its own validation and admission. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../testing/services/free-port.ts'
import { ManagedProcess } from '../../testing/services/managed-process.ts'
import type { ApiServerBinaries } from './tools.ts'

export interface ApiResponse {
  status: number
  /** The object, or a `Status` with the reason. */
  body: { message?: string; [field: string]: unknown }
  /** Warnings, for example about a field that will be removed. */
  warnings: string[]
}

export interface RunningApiServer {
  /** For Helm. */
  kubeconfig: string
  call: (method: string, path: string, body?: unknown) => Promise<ApiResponse>
  stop: () => Promise<void>
}

export async function startApiServer(binaries: ApiServerBinaries): Promise<RunningApiServer> {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-kubernetes-'))
  const etcdPort = await freePort()
  const peerPort = await freePort()
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const token = randomBytes(24).toString('hex')
  const certificates = join(directory, 'certificates')
  const kubeconfig = join(directory, 'kubeconfig')
  const { call, trust } = createClient(url, token)

  const etcd = new ManagedProcess({
    name: 'etcd',
    command: [
      binaries.etcd,
      `--data-dir=${join(directory, 'etcd')}`,
      `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
      `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
      '--unsafe-no-fsync', // the data is deleted at the end
    ],
    logFile: join(directory, 'etcd.log'),
    isReady: async () => (await fetch(`http://127.0.0.1:${etcdPort}/readyz`)).ok,
    readyWithinSeconds: 30,
  })
  const apiServer = new ManagedProcess({
    name: 'kube-apiserver',
    command: [
      binaries.apiServer,
      `--etcd-servers=http://127.0.0.1:${etcdPort}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${certificates}`,
      `--token-auth-file=${join(directory, 'tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${join(directory, 'service-account.pem')}`,
      `--service-account-signing-key-file=${join(directory, 'service-account.pem')}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      // It refuses pods without the account `default`, which a controller would create.
      '--disable-admission-plugins=ServiceAccount',
    ],
    logFile: join(directory, 'kube-apiserver.log'),
    isReady: async () => {
      const certificate = join(certificates, 'apiserver.crt')
      if (!existsSync(certificate)) return false
      trust(await readFile(certificate, 'utf8'))
      return (await call('GET', '/readyz')).status === 200
    },
    readyWithinSeconds: 120,
  })
  const stop = async () => {
    await apiServer.stop()
    await etcd.stop()
    await rm(directory, { recursive: true, force: true })
  }

  try {
    await mkdir(certificates)
    await writeFile(join(directory, 'tokens.csv'), `${token},admin,admin,system:masters\n`)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    await writeFile(
      join(directory, 'service-account.pem'),
      privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    )
    await etcd.start()
    await apiServer.start()
    await writeFile(kubeconfig, formatKubeconfig(url, token, join(certificates, 'apiserver.crt')), { mode: 0o600 })
    return { kubeconfig, call, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const formatKubeconfig = (server: string, token: string, certificate: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'check', cluster: { server, 'certificate-authority': certificate } }],
    users: [{ name: 'check', user: { token } }],
    contexts: [{ name: 'check', context: { cluster: 'check', user: 'check' } }],
    'current-context': 'check',
  })

/** Not `fetch`, which cannot be given the server's own certificate. */
function createClient(url: string, token: string) {
  let ca: string | undefined
  const call: RunningApiServer['call'] = (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const sent = request(`${url}${path}`, { method, headers, ca, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const isJson = response.headers['content-type']?.includes('json')
          const warnings = [response.headers.warning ?? []].flat()
          resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : { message: text }, warnings })
        })
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  const trust = (certificate: string) => {
    ca = certificate
  }
  return { call, trust }
}
