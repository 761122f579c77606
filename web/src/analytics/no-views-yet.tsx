import { EmptyState } from '../shown/empty-state.tsx'
import { ButtonLink } from '../shown/links.tsx'

export function NoViewsYet({ projectId }: { projectId: string }) {
  return (
    <EmptyState
      title="No page views in this range"
      action={
        <ButtonLink to="/projects/$projectId/analytics/sources" params={{ projectId }} mt="sm">
          Set up sources
        </ButtonLink>
      }
    >
      A script on your pages counts human views. Your servers, or their logs, report AI views. If you have set up a
      source already, choose a longer range.
    </EmptyState>
  )
}
