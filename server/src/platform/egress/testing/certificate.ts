import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** A key and a self-signed certificate, valid for a day. Trusted only by clients that have `cert` as an authority. */
export async function selfSignedCertificate(names: string[]): Promise<{ key: string; cert: string }> {
  const subjectAltName = names.map((name) => `DNS:${name}`).join(',')
  const { stdout } = await promisify(execFile)('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-noenc',
    '-days',
    '1',
    '-subj',
    '/CN=loopback',
    '-addext',
    `subjectAltName=${subjectAltName}`,
    '-keyout',
    '-',
    '-out',
    '-',
  ])
  const certificateStart = stdout.indexOf('-----BEGIN CERTIFICATE-----')
  return { key: stdout.slice(0, certificateStart), cert: stdout.slice(certificateStart) }
}
