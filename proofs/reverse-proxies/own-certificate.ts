/** `api` terminates TLS itself, and its certificate is renewed. The gateway uses the same server. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { selfSignedCertificate } from '../../server/src/platform/egress/testing/certificate.ts'
import type { RunningColophon } from '../../testing/harness/colophon.ts'
import { withDatabaseRoleOf } from '../../testing/harness/database-roles.ts'
import { freePort } from '../../testing/services/free-port.ts'
import { ManagedProcess } from '../../testing/services/managed-process.ts'
import type { ProofRun } from '../proof.ts'

const renewedWithinSeconds = 35

export async function usesRenewedCertificate(run: ProofRun, colophon: RunningColophon): Promise<void> {
  const certificateFile = join(colophon.directory, 'fullchain.pem')
  const keyFile = join(colophon.directory, 'privkey.pem')
  const write = async (name: string) => {
    const { cert, key } = await selfSignedCertificate([name])
    writeFileSync(certificateFile, cert)
    writeFileSync(keyFile, key)
  }
  await write('first.example')
  const port = await freePort()
  const server = new ManagedProcess({
    name: 'api with TLS',
    command: [process.execPath, join(import.meta.dirname, '../../server/src/main/colophon-server.ts'), 'api'],
    env: {
      PATH: process.env.PATH,
      ...withDatabaseRoleOf(['api'], colophon.environment),
      COLOPHON_LISTEN: `127.0.0.1:${port}`,
      COLOPHON_TLS_CERT_FILE: certificateFile,
      COLOPHON_TLS_KEY_FILE: keyFile,
    },
    logFile: join(colophon.directory, 'api-with-tls.log'),
    isReady: async () => (await readName(port)) !== undefined,
    readyWithinSeconds: 60,
  })
  run.cleanUp(() => server.stop())
  await server.start()
  run.check((await readName(port)) === 'DNS:first.example', 'api uses its certificate')
  await write('second.example')
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  while (seconds() < renewedWithinSeconds && (await readName(port)) !== 'DNS:second.example') await sleep(500)
  const name = await readName(port)
  run.check(name === 'DNS:second.example', `api uses a renewed certificate within ${renewedWithinSeconds} s: ${name}`)
  run.figure('seconds until api uses a renewed certificate', seconds().toFixed(0))
}

async function readName(port: number): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const name = socket.getPeerCertificate().subjectaltname
  socket.destroy()
  return name
}
