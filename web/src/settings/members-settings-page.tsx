import { useQuery } from '@tanstack/react-query'
import { canManage, useProject } from '../projects/project.ts'
import { InviteCard } from './invite-card.tsx'
import { MembersCard } from './members-card.tsx'
import { membersQuery } from './queries.ts'
import { SecondFactorRuleCard } from './second-factor-rule-card.tsx'
import { SettingsPageLayout } from './settings-page-layout.tsx'

export function MembersSettingsPage() {
  const project = useProject()
  const canChange = canManage(project)
  const query = useQuery(membersQuery(project.id))
  return (
    <SettingsPageLayout title="Members" lead="Who has access to this project, and what they can do." query={query}>
      {({ members }) => (
        <>
          <MembersCard projectId={project.id} members={members} canChange={canChange} />
          {canChange && <InviteCard projectId={project.id} />}
          <SecondFactorRuleCard projectId={project.id} canChange={canChange} />
        </>
      )}
    </SettingsPageLayout>
  )
}
