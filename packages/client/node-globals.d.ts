// The types of Node.js lack this name of the DOM, which generated code uses.
type BodyInit = NonNullable<RequestInit['body']>;
