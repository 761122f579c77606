/** What `colophon doctor` found out. */
export type Finding =
  | { subject: string; status: 'ok' | 'unknown'; message: string }
  /** `warning`: it works now, but not for long or not as people expect. */
  | { subject: string; status: 'warning' | 'problem'; message: string; nextStep: string }

export const ok = (subject: string, message: string): Finding => ({ subject, status: 'ok', message })

/** It could not be checked. */
export const unknown = (subject: string, message: string): Finding => ({ subject, status: 'unknown', message })

export const warning = (subject: string, message: string, nextStep: string): Finding => ({
  subject,
  status: 'warning',
  message,
  nextStep,
})

export const problem = (subject: string, message: string, nextStep: string): Finding => ({
  subject,
  status: 'problem',
  message,
  nextStep,
})
