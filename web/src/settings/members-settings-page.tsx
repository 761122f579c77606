import { useQuery } from '@tanstack/react-query'
import { mayManage, useProject } from '../projects/project.ts'
import { InviteCard } from './invite-card.tsx'
import { MembersCard } from './members-card.tsx'
import { membersQuery } from './queries.ts'
import { SettingsPage } from './settings-page.tsx'

export function MembersSettingsPage() {
  const project = useProject()
  const canChange = mayManage(project)
  const query = useQuery(membersQuery(project.id))
  return (
    <SettingsPage title="Members" lead="Who may see this project, and what they may do in it." query={query}>
      {({ members }) => (
        <>
          <MembersCard projectId={project.id} members={members} canChange={canChange} />
          {canChange && <InviteCard projectId={project.id} />}
        </>
      )}
    </SettingsPage>
  )
}
