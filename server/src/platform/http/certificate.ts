/** The certificate of a server that terminates TLS itself. A renewed one is used without a restart. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type Server } from 'node:tls'
import { type BackgroundTask, startBackgroundTask } from '../background-task.ts'
import type { Log } from '../log.ts'
import type { LabelsOf } from '../metrics/catalog.ts'
import { setMetric } from '../metrics/metrics.ts'

export interface CertificateFiles {
  readonly certificateFile: string
  readonly keyFile: string
}

interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

export const readCertificate = ({ certificateFile, keyFile }: CertificateFiles): Certificate => ({
  cert: readFileSync(certificateFile),
  key: readFileSync(keyFile),
})

/**
 * Reads the files again and again, because nothing reports all kinds of renewals: a file is overwritten, certbot changes a link,
 * Kubernetes changes the link of the directory. Open connections keep their certificate.
 */
export function followRenewals(
  server: Server,
  files: CertificateFiles,
  {
    current,
    log,
    onRenewed,
    intervalMs = 30_000,
  }: { current: Certificate; log: Log; onRenewed?: (renewed: Certificate) => void; intervalMs?: number },
): BackgroundTask {
  let used = current
  return startBackgroundTask({
    async round() {
      const read = readCertificate(files)
      if (read.cert.equals(used.cert) && read.key.equals(used.key)) return
      createSecureContext(read) // throws if the key does not belong to the certificate, for example because one of them is not written yet
      server.setSecureContext(read)
      used = read
      onRenewed?.(read)
      log.info({ expiresAt: expiryOf(read).toISOString() }, 'using the renewed certificate')
    },
    intervalMs,
    failureMessage: 'cannot use the renewed certificate: keeping the previous one',
    log,
  })
}

const expiryOf = ({ cert }: Certificate) => new X509Certificate(cert).validToDate

export const recordExpiry = (
  server: LabelsOf<'colophon_tls_certificate_expiry_timestamp_seconds'>['server'],
  certificate: Certificate,
): void =>
  setMetric('colophon_tls_certificate_expiry_timestamp_seconds', { server }, expiryOf(certificate).getTime() / 1000)
