/** Checks of an instance that need no API key: whether it responds, its certificate, its version and its components. */
import { connect as connectTls } from 'node:tls'
import { type Client, isColophonError, type Readiness } from '@colophon/sdk'
import { isLoopback } from '../login/connection.ts'
import { type Finding, ok, problem, unknown, warning } from './finding.ts'

export interface InstanceCheck {
  findings: Finding[]
  isReachable: boolean
}

export async function checkInstance(client: Client, url: string, commandVersion: string): Promise<InstanceCheck> {
  let version: string
  try {
    ;({ version } = await client.health())
  } catch (error) {
    if (!isColophonError(error)) throw error
    const nextStep = describeConnectionFailure(findErrorCode(error), url)
    return { findings: [problem('Instance', error.detail, nextStep)], isReachable: false }
  }
  const findings = [
    ok('Instance', `Colophon ${version} responds at ${url}`),
    await checkEncryption(url),
    checkVersion(version, commandVersion, url),
    ...(await checkComponents(client)),
  ]
  return { findings, isReachable: true }
}

const findErrorCode = (error: unknown): string => {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown }
    if (typeof code === 'string' && /^[A-Z_]+$/.test(code)) return code
  }
  return isColophonError(error) ? error.code : ''
}

/** By the codes of Node and OpenSSL. */
export function describeConnectionFailure(code: string, url: string): string {
  const { host, hostname } = new URL(url)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `Check the host name: ${hostname} is not known here. You may need a VPN.`
  if (code === 'ECONNREFUSED') return `Nothing listens on ${host}. Start the instance, or check the port.`
  if (code === 'CERT_HAS_EXPIRED') return 'Renew the certificate of the instance.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate is for another host. Use its host name in the URL.`
  if (code.includes('SELF_SIGNED') || code.includes('UNABLE_TO_') || code.startsWith('CERT_'))
    return 'The certificate is not from an authority that Node knows. Set NODE_EXTRA_CA_CERTS to the file with the certificate of yours.'
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return 'The server does not use TLS at this port. Try http://, or another port.'
  if (code === 'unexpected_response')
    return 'Something else responds at this URL. Check it, and the reverse proxy in front of the instance.'
  return `Check that this machine can reach ${host}: firewall, VPN, proxy. Node uses HTTPS_PROXY only if NODE_USE_ENV_PROXY=1 is set (Node 24 or newer).`
}

const minCertificateDays = 14
const dayMs = 24 * 60 * 60 * 1000

async function checkEncryption(url: string): Promise<Finding> {
  const { protocol, hostname, port } = new URL(url)
  if (protocol === 'http:')
    return isLoopback(hostname)
      ? ok('Encryption', 'none, on this machine only')
      : warning(
          'Encryption',
          'The URL starts with http://, so others on the network can read the API key.',
          `Serve the instance over https:// (${new URL('/docs/operations/tls-and-proxies', url)}), and use that URL.`,
        )
  const expiresAt = await readCertificateExpiry(hostname.replace(/^\[|\]$/g, ''), Number(port || 443))
  if (expiresAt === undefined) return unknown('Encryption', 'The certificate could not be read.')
  const days = Math.floor((expiresAt.getTime() - Date.now()) / dayMs)
  return days < minCertificateDays
    ? warning(
        'Encryption',
        `The certificate expires in ${days} days.`,
        'Renew it, or find out why it is not renewed automatically.',
      )
    : ok('Encryption', `TLS, with a certificate that is valid for ${days} days`)
}

const tlsTimeoutMs = 10_000

const readCertificateExpiry = (host: string, port: number): Promise<Date | undefined> =>
  new Promise((resolve) => {
    const socket = connectTls({ host, port, servername: host, timeout: tlsTimeoutMs })
    const end = (result: Date | undefined) => {
      socket.destroy()
      resolve(result)
    }
    socket.on('secureConnect', () => {
      const expiresAt = new Date(socket.getPeerCertificate().valid_to)
      end(Number.isNaN(expiresAt.getTime()) ? undefined : expiresAt)
    })
    socket.on('error', () => end(undefined))
    socket.on('timeout', () => end(undefined))
  })

/** Before version 1, the API can change with the minor version. */
function checkVersion(version: string, commandVersion: string, url: string): Finding {
  const release = (text: string) => text.split('.').slice(0, 2).join('.')
  return release(version) === release(commandVersion)
    ? ok('Version', `this command has version ${commandVersion}`)
    : warning(
        'Version',
        `This command has version ${commandVersion}, the instance ${version}.`,
        `Download the command of the instance: curl --fail --output colophon ${url}/clients/colophon.mjs`,
      )
}

const componentSteps: Readonly<Record<string, string>> = {
  unreachable: 'Start it, or correct its address in the settings of the instance.',
  timeout: 'It responds too slowly: check its load, and the network to it.',
  read_only: 'It is a standby: connect the instance to the primary.',
  disk_full: 'Free disk space on its machine.',
  namespace_missing: 'Run colophon-server migrate.',
  migrations_pending: 'Run colophon-server migrate.',
  version_too_old: 'Start the version of Colophon that the instance was upgraded to.',
  restore_unfinished: 'Stop all processes, and run colophon-server restore again.',
}

async function checkComponents(client: Client): Promise<Finding[]> {
  let readiness: Readiness
  try {
    readiness = await client.readiness()
  } catch (error) {
    if (!isColophonError(error)) throw error
    return [problem('Components', error.detail, 'Read the log of the api process.')]
  }
  const failing = Object.entries(readiness.components).flatMap(([name, component]) =>
    component.status === 'ok'
      ? []
      : [
          problem(
            `Component ${name}`,
            `It fails: ${component.reason}.`,
            componentSteps[component.reason] ?? 'Read the log of the api process.',
          ),
        ],
  )
  const proxies = (readiness.warnings ?? []).includes('untrusted_proxy')
    ? [
        warning(
          'Reverse proxy',
          'Requests come through a reverse proxy that the instance does not trust, so all clients share one rate limit.',
          'Add the address of the proxy to COLOPHON_TRUSTED_PROXIES.',
        ),
      ]
    : []
  if (failing.length > 0) return [...failing, ...proxies]
  const names = Object.keys(readiness.components).join(', ')
  return [ok('Components', `${names || 'all'} work`), ...proxies]
}
