/**
 * Internal destinations are allowed for one use each. The projects choose the addresses of their code host, their webhooks
 * and the issuers that they trust: with one list for everything, they could also have Colophon call a model or the audit webhook of the
 * operator.
 */
import type { EgressConfig } from '../config.ts'
import type { Log } from '../log.ts'
import { createEgress, type Egress, type EgressOptions } from './egress.ts'

/** `webhooks` are those of projects, `auditWebhook` is that of the operator. `issuers` sign the ID tokens of CI runs. */
export type EgressUse = 'codeHosts' | 'models' | 'webhooks' | 'issuers' | 'auditWebhook'

/** The projects enter the addresses, so errors must not show what listens on internal hosts. */
const usesOfProjects: readonly EgressUse[] = ['codeHosts', 'webhooks', 'issuers']

const settingNames: Record<EgressUse, string> = {
  codeHosts: 'COLOPHON_EGRESS_ALLOWED_CODE_HOSTS',
  models: 'COLOPHON_EGRESS_ALLOWED_MODEL_HOSTS',
  webhooks: 'COLOPHON_EGRESS_ALLOWED_WEBHOOK_HOSTS',
  issuers: 'COLOPHON_EGRESS_ALLOWED_ISSUER_HOSTS',
  auditWebhook: 'COLOPHON_EGRESS_ALLOWED_AUDIT_WEBHOOK_HOSTS',
}

export const createEgressFor = (use: EgressUse, config: EgressConfig, log?: Log): Egress =>
  createEgress(egressOptionsFor(use, config, log))

/** Without a log, for commands that an operator runs, errors say what failed. */
export function egressOptionsFor(use: EgressUse, config: EgressConfig, log?: Log): EgressOptions {
  const { proxyUrl, caBundlePem, allowedNetworks, allowedHosts, allowedFor } = config
  const onHiddenCause = (host: string, error: unknown) =>
    log?.warn({ host, error: String(error) }, 'cannot use an allowed internal host')
  return {
    proxyUrl,
    caBundlePem,
    allowedNetworks,
    allowedHosts: [...allowedHosts, ...allowedFor[use]],
    allowedHostsSetting: settingNames[use],
    ...(usesOfProjects.includes(use) && log && { onHiddenCause }),
  }
}
