import { useCreatorNames } from '../api/creator-names.ts';

export function CreatorName({ creatorId, creatorName }: { creatorId: number; creatorName: string }) {
  return <bdi>{useCreatorNames()(creatorId, creatorName)}</bdi>;
}
