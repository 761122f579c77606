import { Alert } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** What came of a test: read out, and in sight, as soon as it is there. */
export function TestResult({ works, title, children }: { works: boolean; title: string; children?: ReactNode }) {
  return (
    <Alert
      ref={(shown) => shown?.scrollIntoView({ block: 'nearest' })}
      color={works ? 'green' : 'red'}
      icon={works ? <IconCircleCheck /> : <IconAlertTriangle />}
      title={title}
      role={works ? 'status' : 'alert'}
    >
      {children}
    </Alert>
  )
}
