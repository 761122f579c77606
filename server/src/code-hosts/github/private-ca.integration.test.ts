/** A GitHub Enterprise Server with a certificate of a private certificate authority. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { startGithubSimulator } from '../../../../testing/services/start-github-simulator.ts'
import { createEgress } from '../../platform/egress/egress.ts'
import { createCodeHostFactory } from '../code-host-factory.ts'

const run = promisify(execFile)

async function createCertificates(directory: string) {
  const file = (name: string) => join(directory, name)
  const openssl = (...args: string[]) => run('openssl', args, { cwd: directory })
  const key = ['-newkey', 'rsa:2048', '-nodes']
  const days = ['-days', '2']
  await openssl('req', '-x509', ...key, ...days, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Private CA')
  await openssl('req', ...key, '-keyout', 'host.key', '-out', 'host.csr', '-subj', '/CN=127.0.0.1')
  await writeFile(file('names'), 'subjectAltName=IP:127.0.0.1\n')
  const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial']
  await openssl('x509', '-req', '-in', 'host.csr', ...signer, ...days, '-extfile', 'names', '-out', 'host.pem')
  return { caBundlePem: await readFile(file('ca.pem'), 'utf8'), keyFile: file('host.key'), certFile: file('host.pem') }
}

it('connects only with the certificate authority', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-ca-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { caBundlePem, ...tls } = await createCertificates(directory)
  const { process: github, address } = await startGithubSimulator(join(directory, 'github'), tls)
  onTestFinished(() => github.stop())

  const test = async (options: { caBundlePem?: string }) => {
    const egress = createEgress({ allowedHosts: [new URL(address.url).host], ...options })
    onTestFinished(() => egress.close())
    const access = { kind: 'token', token: 'unknown' } as const
    const connection = { baseUrl: address.url, owner: 'owner', name: 'name', repositoryId: null, access }
    return await createCodeHostFactory(egress)({ host: 'github', ...connection }).testConnection('main')
  }
  await expect(test({})).resolves.toMatchObject({ code: 'unreachable', message: expect.stringMatching(/certificate/i) })
  await expect(test({ caBundlePem })).resolves.toMatchObject({ code: 'token_rejected' })
})
