import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { canManage, useProject } from '../projects/project.ts'
import { SettingsCard } from '../settings/settings-card.tsx'
import { SettingsPageLayout } from '../settings/settings-page-layout.tsx'
import { CopyLine } from '../shown/copy-line.tsx'
import { DocsLink } from '../shown/docs-link.tsx'
import { CreateIdentityCard } from './create-identity-card.tsx'
import { IdentitiesCard } from './identities-card.tsx'
import { identitiesQuery } from './queries.ts'

export function CiPage() {
  const project = useProject()
  const canChange = canManage(project)
  const query = useQuery(identitiesQuery(project.id))
  return (
    <SettingsPageLayout
      title="CI"
      lead={
        <>
          CI runs that get API keys which expire after the run, so that no secret is stored in CI.{' '}
          <DocsLink page="ci" inherit>
            How to use it
          </DocsLink>
        </>
      }
      query={query}
    >
      {({ identities, audience }) => (
        <>
          <IdentitiesCard projectId={project.id} identities={identities} canChange={canChange} />
          {canChange && <CreateIdentityCard projectId={project.id} />}
          <SettingsCard title="Settings of the CI run">
            <CopyLine label="Project ID" value={project.id} />
            <CopyLine label="URL and audience" value={audience} />
            <Text size="sm" c="dimmed">
              Neither is secret. If a run gets no key, the audit log says why.
            </Text>
          </SettingsCard>
        </>
      )}
    </SettingsPageLayout>
  )
}
