/** A company's own GitHub, whose certificate is the company's own. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { startGithub } from '../../../../dev-services/start-github.ts'
import { createEgress } from '../../platform/egress/egress.ts'
import { createOpenCodeHost } from '../open-code-host.ts'

const run = promisify(execFile)

async function makeCertificates(directory: string) {
  const file = (name: string) => join(directory, name)
  const openssl = (...args: string[]) => run('openssl', args, { cwd: directory })
  const key = ['-newkey', 'rsa:2048', '-nodes']
  const days = ['-days', '2']
  await openssl('req', '-x509', ...key, ...days, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Our own CA')
  await openssl('req', ...key, '-keyout', 'host.key', '-out', 'host.csr', '-subj', '/CN=127.0.0.1')
  await writeFile(file('names'), 'subjectAltName=IP:127.0.0.1\n')
  const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial']
  await openssl('x509', '-req', '-in', 'host.csr', ...signer, ...days, '-extfile', 'names', '-out', 'host.pem')
  return { caBundlePem: await readFile(file('ca.pem'), 'utf8'), keyFile: file('host.key'), certFile: file('host.pem') }
}

it('is reached with its certificate authority, and not without', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-ca-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { caBundlePem, ...tls } = await makeCertificates(directory)
  const { part, address } = await startGithub(join(directory, 'github'), tls)
  onTestFinished(() => part.stop())

  const test = async (more: { caBundlePem?: string }) => {
    const egress = createEgress({ allowedHosts: [new URL(address.url).host], ...more })
    onTestFinished(() => egress.close())
    const access = { kind: 'token', token: 'unknown' } as const
    const connection = { baseUrl: address.url, owner: 'owner', name: 'name', repositoryId: null, access }
    return await createOpenCodeHost(egress)({ host: 'github', ...connection }).testConnection('main')
  }
  await expect(test({})).resolves.toMatchObject({ code: 'unreachable', message: expect.stringMatching(/certificate/i) })
  await expect(test({ caBundlePem })).resolves.toMatchObject({ code: 'token_rejected' })
})
