import { EmptyState } from '../shown/empty-state.tsx'
import { ButtonLink } from '../shown/links.tsx'

export function NoViewsYet({ projectId }: { projectId: string }) {
  return (
    <EmptyState
      title="Nobody has told of views in this range"
      action={
        <ButtonLink to="/projects/$projectId/analytics/sources" params={{ projectId }} mt="sm">
          Set up counting
        </ButtonLink>
      }
    >
      A script on your pages counts people; your server, or its logs, also see AI. It takes a few minutes, and Sources
      shows the first views as they come. If you count already, choose a longer range.
    </EmptyState>
  )
}
