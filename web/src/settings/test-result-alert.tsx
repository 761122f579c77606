import { Alert } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** The result of a test. Scrolls into view and is announced by screen readers. */
export function TestResultAlert({ ok, title, children }: { ok: boolean; title: string; children?: ReactNode }) {
  return (
    <Alert
      ref={(element) => element?.scrollIntoView({ block: 'nearest' })}
      color={ok ? 'green' : 'red'}
      icon={ok ? <IconCircleCheck /> : <IconAlertTriangle />}
      title={title}
      role={ok ? 'status' : 'alert'}
    >
      {children}
    </Alert>
  )
}
