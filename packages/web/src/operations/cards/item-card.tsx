import { useRef, useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { Card, Figures, type Figure } from '../parts/card.tsx';
import { COMMANDS } from '../status/commands.ts';

/** Why an item is found or not. */
export function ItemCard() {
  const [figures, setFigures] = useState<Figure[]>([]);
  const asked = useRef('');
  const show = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget as HTMLFormElement).get('id'));
    asked.current = id;
    setFigures([]);
    const read = await readItem(id).catch(() => [{ label: 'item', value: 'The API does not respond.' }]);
    if (asked.current === id) setFigures([{ label: 'id', value: id }, ...read]);
  };
  return (
    <Card title="One item" commands={[COMMANDS.item]}>
      <form class="item-form" onSubmit={(event) => void show(event)}>
        <label>
          Id <input name="id" inputMode="numeric" pattern="[1-9][0-9]*" required />
        </label>
        <Button type="submit">Show</Button>
      </form>
      <div aria-live="polite">
        <Figures figures={figures} />
      </div>
    </Card>
  );
}

async function readItem(id: string): Promise<Figure[]> {
  const response = await fetch(`./item?id=${encodeURIComponent(id)}`);
  if (!response.ok) throw new Error(`the status is ${response.status}`);
  return ((await response.json()) as [string, string][]).map(([label, value]) => ({ label, value }));
}
