import { Alert } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** What came of a test: read out, and in sight, as soon as it is there. */
export function TestResult({ ok, title, children }: { ok: boolean; title: string; children?: ReactNode }) {
  return (
    <Alert
      ref={(shown) => shown?.scrollIntoView({ block: 'nearest' })}
      color={ok ? 'green' : 'red'}
      icon={ok ? <IconCircleCheck /> : <IconAlertTriangle />}
      title={title}
      role={ok ? 'status' : 'alert'}
    >
      {children}
    </Alert>
  )
}
