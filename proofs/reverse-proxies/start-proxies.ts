/** Starts reverse proxies with the configurations in deploy/proxies, which the docs show. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { freePort } from '../../testing/services/free-port.ts'
import { ManagedProcess } from '../../testing/services/managed-process.ts'
import { getCaddyBinary, getNginxBinary, getTraefikBinary } from '../../testing/services/proxy-binaries.ts'
import { runCommand } from '../../testing/services/run-command.ts'
import type { ProofRun } from '../proof.ts'

export const publicName = 'colophon.example.com'
/** In place of the name of the gateway: a runner has to resolve it. */
export const gatewayName = 'localhost'
/** The only address that the gateway's allow list has. */
export const runnerAddress = '127.0.0.1'

export interface RunningProxy {
  name: ProxyName
  version: string
  port: number
  gatewayPort: number
  /** Of the authority that signed its certificates. */
  authorityPem: string
  /** What it wrote to its output and its access log. */
  readLogs(): string
}

export type ProxyName = 'nginx' | 'Caddy' | 'Traefik'

export interface Upstreams {
  /** `host:port` of api. */
  api: string
  /** `host:port` of the gateway. */
  gateway: string
  certificate: { cert: string; key: string }
}

interface ProxyDefinition {
  getBinary: () => Promise<string>
  versionArguments: readonly string[]
  /** Writes the configuration, and returns the command. */
  configure: (target: { folder: string; binary: string; port: number; copy: CopyConfiguration }) => readonly string[]
  /** A proxy that has an authority of its own. */
  authorityFile?: string
}

/** Copies a file of deploy/proxies with the addresses and paths of this run, and returns the path of the copy. */
type CopyConfiguration = (name: string, replacements?: Readonly<Record<string, string>>) => string

const configurations = join(import.meta.dirname, '../../deploy/proxies')

export async function startProxy(run: ProofRun, name: ProxyName, upstreams: Upstreams): Promise<RunningProxy> {
  const { getBinary, versionArguments, configure, authorityFile } = proxies[name]
  const binary = await getBinary()
  const folder = mkdtempSync(join(tmpdir(), `colophon-${name.toLowerCase()}-`))
  run.cleanUp(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  const port = await freePort()
  const gatewayPort = await freePort()
  const { cert, key } = upstreams.certificate
  const files = { certificate: join(folder, 'fullchain.pem'), key: join(folder, 'privkey.pem') }
  writeFileSync(files.certificate, cert)
  writeFileSync(files.key, key)

  const ofThisRun: readonly (readonly [pattern: RegExp, value: string])[] = [
    [/127\.0\.0\.1:8080/g, upstreams.api],
    [/127\.0\.0\.1:8090/g, upstreams.gateway],
    [/192\.0\.2\.0\/24/g, `${runnerAddress}/32`],
    [/colophon-gateway\.example\.com:8443/g, `${gatewayName}:${gatewayPort}`],
    [/colophon-gateway\.example\.com(?!\/)/g, gatewayName],
    [/\/etc\/letsencrypt\/live\/[\w.-]+\/fullchain\.pem/g, files.certificate],
    [/\/etc\/letsencrypt\/live\/[\w.-]+\/privkey\.pem/g, files.key],
    [/\/var\/log\/nginx\//g, `${folder}/`],
    [/listen 443/g, `listen 127.0.0.1:${port}`],
    [/listen 8443/g, `listen 127.0.0.1:${gatewayPort}`],
    [/":443"/g, `"127.0.0.1:${port}"`],
    [/":8443"/g, `"127.0.0.1:${gatewayPort}"`],
  ]
  const copy: CopyConfiguration = (file, replacements = {}) => {
    const target = join(folder, file)
    const others = Object.entries(replacements).map(([text, value]) => [text, value] as const)
    const content = [...ofThisRun, ...others].reduce<string>(
      (text, [pattern, value]) => text.replaceAll(pattern, value),
      readFileSync(join(configurations, file), 'utf8'),
    )
    writeFileSync(target, content)
    return target
  }

  const proxy = new ManagedProcess({
    name,
    command: configure({ folder, binary, port, copy }),
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    logFile: join(folder, 'output.log'),
    isReady: () => acceptsTls(port),
    readyWithinSeconds: 60,
  })
  run.cleanUp(() => proxy.stop())
  await proxy.start()
  const output = await runCommand(['sh', '-c', '"$@" 2>&1', 'sh', binary, ...versionArguments])
  const authorityPem = authorityFile === undefined ? cert : readFileSync(join(folder, authorityFile), 'utf8')
  const version = /\d+\.\d+\.\d+/.exec(output)?.[0] ?? 'unknown'
  const readLogs = () =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.log'))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n')
  return { name, version, port, gatewayPort, authorityPem, readLogs }
}

const proxies: Record<ProxyName, ProxyDefinition> = {
  nginx: {
    getBinary: getNginxBinary,
    versionArguments: ['-v'],
    configure({ folder, binary, copy }) {
      const main = join(folder, 'main.conf')
      for (const temporary of ['body', 'proxy']) mkdirSync(join(folder, temporary))
      // As in the main configuration of Debian's package, apart from directories.
      writeFileSync(
        main,
        `daemon off; pid ${folder}/nginx.pid; error_log stderr; user root;
events { worker_connections 768; }
http {
  access_log off; sendfile on; tcp_nopush on; gzip on;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  include ${copy('nginx.conf')};
}\n`,
      )
      return [binary, '-p', folder, '-c', main]
    },
  },
  Caddy: {
    getBinary: getCaddyBinary,
    versionArguments: ['version'],
    // Certificates of its own authority, because Let's Encrypt cannot reach this machine.
    configure: ({ binary, port, copy }) => [
      binary,
      'run',
      '--adapter',
      'caddyfile',
      '--config',
      copy('Caddyfile', {
        'auto_https disable_redirects': `auto_https disable_redirects\nlocal_certs\nskip_install_trust\nadmin off\ndefault_bind 127.0.0.1\nhttps_port ${port}`,
      }),
    ],
    authorityFile: 'caddy/pki/authorities/local/root.crt',
  },
  Traefik: {
    getBinary: getTraefikBinary,
    versionArguments: ['version'],
    configure({ binary, copy }) {
      const dynamic = copy('traefik-colophon.yml')
      return [binary, `--configFile=${copy('traefik.yml', { '/etc/traefik/colophon.yml': dynamic })}`]
    },
  },
}

/** Also that the certificate is there: Caddy creates it after it started to listen. */
const acceptsTls = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername: publicName, rejectUnauthorized: false })
    socket.once('secureConnect', () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
  })
