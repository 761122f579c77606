import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useProject } from '../projects/project.ts'
import { AnchorLink } from '../shown/links.tsx'
import { projectSpendQuery } from './queries.ts'
import { SpendReport } from './spend-report.tsx'

export function ProjectSpendPage() {
  const { id: projectId } = useProject()
  const [month, setMonth] = useState<string>()
  return (
    <SpendReport
      lead={
        <>
          What the agent used for model calls, by day and model. Owners set the{' '}
          <AnchorLink to="/projects/$projectId/settings/models" params={{ projectId }} inherit>
            budget
          </AnchorLink>
          .
        </>
      }
      query={useQuery(projectSpendQuery(projectId, month))}
      month={month}
      onMonthChange={setMonth}
    />
  )
}
